import { Global, Module } from '@nestjs/common';
import { ReplyCipher } from '../http/idempotency/reply-cipher.js';
import { KeptReplyCipher } from './kept-reply-cipher.js';
import { SealingKeysRepository } from './sealing-keys.repository.js';
import { SealingKeysService } from './sealing-keys.service.js';

/** Global, because each feature that stores secrets asks it under which key, and replies are kept for all of them. */
@Global()
@Module({
  providers: [SealingKeysRepository, SealingKeysService, { provide: ReplyCipher, useClass: KeptReplyCipher }],
  exports: [SealingKeysService, ReplyCipher],
})
export class SealingModule {}
