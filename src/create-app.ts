import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type AppOptions, AppModule } from './app.module.js';
import { FrameworkLogger } from './config/logger.js';
import { serveDocumentation } from './http/openapi/documentation.js';
import { ServiceAdapter } from './http/service-adapter.js';

/** The whole application, configured but not listening: the service, its tests and the document writer share it. */
export async function createApp(options: AppOptions): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(options),
    new ServiceAdapter(options.settings, options.logger),
    {
      bodyParser: false,
      logger: new FrameworkLogger(options.logger),
      abortOnError: false,
    },
  );
  serveDocumentation(app);
  return app;
}
