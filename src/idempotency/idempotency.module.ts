import { Global, Module } from '@nestjs/common';
import { PeriodicJobs } from '../database/periodic-jobs.js';
import { IdempotentRequests } from '../http/idempotency/idempotent-requests.js';
import { IdempotencyRepository } from './idempotency.repository.js';
import { KeptReplies } from './kept-replies.js';
import { ReplayedSecrets } from './replayed-secrets.js';
import { ReplyCipher } from './reply-cipher.js';

const CLEANUP_INTERVAL_MS = 600_000;

/** Global, because each feature that creates something runs its requests through it. */
@Global()
@Module({
  providers: [
    IdempotencyRepository,
    ReplayedSecrets,
    ReplyCipher,
    { provide: IdempotentRequests, useClass: KeptReplies },
  ],
  exports: [IdempotentRequests],
})
export class IdempotencyModule {
  constructor(jobs: PeriodicJobs, records: IdempotencyRepository) {
    jobs.addDeletions('idempotencyCleanup', CLEANUP_INTERVAL_MS, {
      'expired records': (connection, limit) => records.deleteExpired(connection, limit),
    });
  }
}
