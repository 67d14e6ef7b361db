import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/injection-tokens.js';
import type { JobTask } from '../database/periodic-job.js';
import type { Connection } from '../database/transaction.js';
import { AuditChainRepository } from './audit-chain.repository.js';

const LINKS_IN_A_BITE = 500;
const PUBLISHED_EVERY_MS = 60_000;

/**
 * Links the entries of the audit log to a chain, in the background, so that their writers don't wait for each other.
 * The head of the chain goes to the service's log once a minute: a change of the past must also change what a
 * collector has.
 */
@Injectable()
export class AuditChainService {
  private hasNews = false;
  private publishedAt = -Infinity;

  readonly task: JobTask = { name: 'chain of the audit log', run: (connection) => this.extend(connection) };

  constructor(
    private readonly chain: AuditChainRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  private async extend(connection: Connection): Promise<boolean> {
    const linked = await this.chain.extend(connection, LINKS_IN_A_BITE);
    if (linked > 0) this.hasNews = true;
    if (this.hasNews && performance.now() - this.publishedAt >= PUBLISHED_EVERY_MS)
      await this.publish(connection);
    return linked === LINKS_IN_A_BITE;
  }

  private async publish(connection: Connection): Promise<void> {
    const head = await this.chain.head(connection);
    this.logger.info({ audit_chain: head?.text }, 'head of the audit log');
    this.hasNews = false;
    this.publishedAt = performance.now();
  }
}
