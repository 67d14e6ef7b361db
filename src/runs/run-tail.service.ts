import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Connection } from '../database/transaction.js';
import { NotFoundError } from '../errors/domain-error.js';
import { ListReads } from '../http/list-reads.js';
import { RunEventsRepository } from './run-events.repository.js';
import { type RunEventResponse, toRunEventResponse } from './run-event.response.js';
import { RunMentionsRepository } from './run-mentions.repository.js';
import { RunQueueService } from './run-queue.service.js';
import type { RunState } from './run.types.js';

const EVENTS_IN_A_PAGE = 200;

/** Reads the news of a run for its followers. */
@Injectable()
export class RunTailService {
  constructor(
    private readonly events: RunEventsRepository,
    private readonly runs: RunMentionsRepository,
    private readonly queue: RunQueueService,
    private readonly lists: ListReads,
    private readonly database: Database,
  ) {}

  /** Registers a handler, which is called when a step of one of the agent's runs was committed, on any instance. */
  onStep(handler: (agentId: string) => void): void {
    this.queue.onChange(handler);
  }

  /** @throws NotFoundError if it was removed */
  async stateOf(runId: string): Promise<RunState> {
    const state = await this.runs.findState(this.database.people.manager, runId);
    if (!state) throw new NotFoundError('Run');
    return state;
  }

  /**
   * Events after `after`, up to `upTo` unless that is null; lowest sequence first. A page may have fewer events than fit even if more
   * follow.
   *
   * @param searcher whose searches' share of the pool the read takes; absent: the news has one, in the people's pool
   */
  async eventsAfter(
    runId: string,
    after: number,
    upTo: number | null,
    searcher?: string,
  ): Promise<{ readonly items: readonly RunEventResponse[]; readonly hasMore: boolean }> {
    const read = (connection: Connection) =>
      this.events.listFrom(connection, runId, after, upTo, EVENTS_IN_A_PAGE);
    const page = await (searcher === undefined
      ? read(this.database.people.manager)
      : this.lists.search(searcher, read));
    return { items: page.items.map(toRunEventResponse), hasMore: page.hasMore };
  }
}
