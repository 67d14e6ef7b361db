import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from './injection-tokens.js';
import type { Settings } from './settings.js';

@Global()
@Module({})
export class ConfigModule {
  static forRoot(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [SETTINGS, LOGGER],
    };
  }
}
