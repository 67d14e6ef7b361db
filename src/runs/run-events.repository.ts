import { Injectable } from '@nestjs/common';
import { LessThanOrEqual, MoreThan } from 'typeorm';
import { selectRows } from '../database/entity-rows.js';
import type { Page, PageRequest } from '../database/page.js';
import { type Place, readNewest, readPage, sentBytes } from '../database/read-page.js';
import type { Connection } from '../database/transaction.js';
import { RunEventEntity } from './run-event.entity.js';

const BY_SEQUENCE: Place<RunEventEntity> = {
  column: 'event.sequence',
  isAfter: `event.sequence < (SELECT named.sequence FROM run_events AS named
    WHERE named.run_id = event.runId AND named.id = :before)`,
  valueOf: ({ id }) => id,
};

/** Reads the history of runs, which `WrittenRunsRepository` writes. */
@Injectable()
export class RunEventsRepository {
  /** Events of a run, highest sequence first. The caller has verified that the run is within reach. */
  list(connection: Connection, runId: string, request: PageRequest): Promise<Page<RunEventEntity>> {
    const events = selectRows(connection, RunEventEntity, 'event').where({ runId });
    return readNewest(connection, events, request, sentBytes('message'), BY_SEQUENCE);
  }

  /** Events of a run after `after`, up to `upTo` unless that is null, lowest sequence first. */
  listFrom(
    connection: Connection,
    runId: string,
    after: number,
    upTo: number | null,
    limit: number,
  ): Promise<Page<RunEventEntity>> {
    const events = selectRows(connection, RunEventEntity, 'event')
      .where({ runId, sequence: MoreThan(after) })
      .orderBy('event.sequence');
    if (upTo !== null) events.andWhere({ sequence: LessThanOrEqual(upTo) });
    return readPage(connection, events, { skip: 0, limit, includeTotal: false }, sentBytes('message'));
  }
}
