import { Injectable } from '@nestjs/common';
import { ownReachOf, type UserPrincipal } from '../access/principal.js';
import { Database } from '../database/database.js';
import type { Page } from '../database/page.js';
import { NotFoundError } from '../errors/domain-error.js';
import { RunReadingService } from '../runs/run-reading.service.js';
import type { AgentSpanEntity } from './agent-span.entity.js';
import { SpansRepository } from './spans.repository.js';

/** Reads the spans of runs for people. */
@Injectable()
export class SpanReadingService {
  constructor(
    private readonly spans: SpansRepository,
    private readonly runs: RunReadingService,
    private readonly database: Database,
  ) {}

  /**
   * The spans of a run, in the order of their starts.
   *
   * @param after id of the last span of the part before; an unknown one is followed by nothing
   * @throws NotFoundError
   */
  async list(
    caller: UserPrincipal,
    runId: string,
    limit: number,
    after?: string,
  ): Promise<Page<AgentSpanEntity>> {
    await this.runs.findWithin(ownReachOf(caller), runId);
    return this.spans.list(this.database.people.manager, runId, limit, after);
  }

  /** @throws NotFoundError */
  async find(caller: UserPrincipal, runId: string, spanId: string): Promise<AgentSpanEntity> {
    await this.runs.findWithin(ownReachOf(caller), runId);
    const span = await this.spans.find(this.database.people.manager, runId, Buffer.from(spanId, 'hex'));
    if (!span) throw new NotFoundError('Span');
    return span;
  }
}
