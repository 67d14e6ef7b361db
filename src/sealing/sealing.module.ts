import { Global, Module } from '@nestjs/common';
import { SealingKeysRepository } from './sealing-keys.repository.js';
import { SealingKeysService } from './sealing-keys.service.js';

/** Global, because each feature that stores secrets asks it under which key. */
@Global()
@Module({
  providers: [SealingKeysRepository, SealingKeysService],
  exports: [SealingKeysService],
})
export class SealingModule {}
