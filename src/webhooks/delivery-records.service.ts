import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { AuditLogService } from '../audit-log/audit-log.service.js';
import type { AuditedAct } from '../audit-log/audit-log.types.js';
import { targetOf } from '../audit-log/audited-act.js';
import { LOGGER } from '../config/injection-tokens.js';
import type { ConnectionPool } from '../database/connection-pool.js';
import { Database } from '../database/database.js';
import { GroupCommit } from '../database/group-commit.js';
import { instruments } from '../observability/instruments.js';
import { DeliveryQueueRepository } from './delivery-queue.repository.js';
import type { ClaimedDelivery, RecordedAttempt } from './webhook.types.js';

const webhookAttempts = new Counter({
  name: 'control_plane_webhook_attempts_total',
  help: 'Attempts to deliver a message to a webhook',
  labelNames: ['outcome'],
  registers: [instruments],
});

/** Pauses before a failed write of a result is repeated; the lease lasts longer than all of them. Milliseconds. */
const RECORDING_PAUSES_MS = [100, 400, 1_600, 6_400];

type Results = GroupCommit<RecordedAttempt, void>;

/** The pool for the write of a result: that of the dispatcher, or that of the person who tests a webhook. */
export type ResultPool = 'background' | 'people';

/** Writes the results of attempts in groups. */
@Injectable()
export class DeliveryRecordsService {
  private readonly results: Readonly<Record<ResultPool, Results>>;

  constructor(
    private readonly queue: DeliveryQueueRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLogService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const through = (pool: ConnectionPool) =>
      new GroupCommit('webhook attempts', (attempts: readonly RecordedAttempt[]) =>
        this.write(pool, attempts),
      );
    this.results = { background: through(database.background), people: through(database.people) };
  }

  /** Writes a result, with retries, because without it the message would be sent again. */
  async record(pool: ResultPool, attempt: RecordedAttempt): Promise<void> {
    webhookAttempts.inc({ outcome: attempt.result.succeeded ? 'succeeded' : 'failed' });
    for (const pause of RECORDING_PAUSES_MS) {
      try {
        await this.results[pool].submit(attempt);
        return;
      } catch (error) {
        this.logger.debug(
          { err: error, delivery_id: attempt.id },
          'the result of an attempt could not be stored yet',
        );
        await delay(pause);
      }
    }
    await this.results[pool].submit(attempt);
  }

  /** Returns a delivery to the queue if the result of its attempt is unknown. */
  release(pool: ResultPool, delivery: ClaimedDelivery): Promise<void> {
    return this.queue.release(this.database[pool].manager, [delivery]);
  }

  private async write(pool: ConnectionPool, attempts: readonly RecordedAttempt[]): Promise<void[]> {
    // Successes switch no webhook off, and a single statement commits by itself.
    if (attempts.every(({ result }) => result.succeeded)) {
      await this.queue.record(pool.manager, attempts);
    } else {
      const switchedOff = await pool.transaction(async (tx) => {
        const webhooks = await this.queue.record(tx, attempts);
        const acts = webhooks.map((webhook): AuditedAct => {
          const target = targetOf('webhook', webhook);
          const details = { reason: webhook.reason };
          return { party: { kind: 'service' }, action: 'webhook.switch_off', target, details };
        });
        await this.auditLog.writeAll(tx, acts);
        return webhooks;
      });
      for (const { id } of switchedOff) {
        this.logger.info(
          { webhook_id: id },
          'a webhook was switched off: its endpoint is gone, or has failed for days',
        );
      }
    }
    return attempts.map(() => undefined);
  }
}
