import { Injectable } from '@nestjs/common';
import { selectRows } from '../database/entity-rows.js';
import { idList, PreparedQuery } from '../database/prepared-query.js';
import type { Connection } from '../database/transaction.js';
import { RunEntity } from './run.entity.js';
import type { RunState } from './run.types.js';

/** An agent's ids of runs, which need not be its own. */
export interface MentionedRuns {
  readonly agentId: string;
  readonly mentioned: readonly string[];
}

const COLUMNS = ['id', 'agentId', 'deploymentId'] as const;
export type MentionedRun = Pick<RunEntity, (typeof COLUMNS)[number]>;

const FIND_MENTIONED = new PreparedQuery('find_mentioned_runs', ['ids'], (connection) =>
  selectRows(connection, RunEntity, 'run', COLUMNS).where(`run.id = ANY (${idList('ids')})`),
);

/** An agent sends its last lines this long after a run's end; its own clock may say that the end was earlier. */
const LAST_LINES = "interval '2 seconds'";
const IS_OVER = `coalesce(greatest(run.endedAt, run.lastSeenAt) < now() - ${LAST_LINES} AND run.endedAt IS NOT NULL, false)`;
const FIND_STATE = new PreparedQuery('find_run_state', ['id'], (connection) =>
  selectRows(connection, RunEntity, 'run', ['agentId', 'projectId', 'lastSequence', 'progress'])
    .addSelect(IS_OVER, 'isOver')
    .where('run.id = :id'),
);

/** Lean reads of runs, by their ids. */
@Injectable()
export class RunMentionsRepository {
  /** Finds each agent's own runs among the mentioned ones. @returns those of each question, in order */
  async findMentioned(
    connection: Connection,
    questions: readonly MentionedRuns[],
  ): Promise<MentionedRun[][]> {
    const ids = [...new Set(questions.flatMap(({ mentioned }) => mentioned))];
    const byId = new Map(
      (await FIND_MENTIONED.rows<MentionedRun>(connection, { ids })).map((row) => [row.id, row]),
    );
    return questions.map(({ agentId, mentioned }) =>
      mentioned.flatMap((id) => byId.get(id) ?? []).filter((run) => run.agentId === agentId),
    );
  }

  /** Finds the columns of a run for its followers. The caller has checked that it may be seen. */
  async findState(connection: Connection, id: string): Promise<RunState | null> {
    const [state] = await FIND_STATE.rows<RunState>(connection, { id });
    return state ?? null;
  }
}
