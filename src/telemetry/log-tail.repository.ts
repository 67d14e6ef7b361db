import { Injectable } from '@nestjs/common';
import { columnsOf, selectRows } from '../database/entity-rows.js';
import { rowsOf } from '../database/sql.js';
import type { Connection } from '../database/transaction.js';
import type { LivePage } from '../live/live-poller.js';
import { AgentLogPositionEntity } from './agent-log-position.entity.js';
import { AgentLogEntity } from './agent-log.entity.js';
import { formatLogPosition, type LogPosition, markOf, parseLogPosition } from './log-position.js';
import { BYTES_OF_A_LOG } from './logs.repository.js';
import type { StoredLog } from './telemetry.types.js';

const ROWS_IN_A_PAGE = 200;
/** Bytes of messages and metadata as they are sent; one row is always in a page, however large. */
const BYTES_IN_A_PAGE = 128 * 1024;
/** No entry is stored with a time further ahead, so partitions of later days need not be read. */
const MAXIMUM_AHEAD_MS = 24 * 60 * 60_000;

interface TailRow extends AgentLogEntity {
  /** Number of rows that were found, whose bytes end the page. */
  readonly taken: number;
}

/** The agents, and the run, whose entries a reader follows. */
export interface LogTail {
  /** At least one, in their order; of a run its own one. */
  readonly agentIds: readonly string[];
  /** Only the entries of this run; absent: all. */
  readonly runId?: string;
}

/** The lines of an agent from after one number up to another one. */
interface Stretch {
  readonly agentId: string;
  readonly after: number;
  readonly upTo: number;
}

/** Rows, oldest first. */
interface Found {
  readonly rows: readonly TailRow[];
  /** True if all rows of the stretches were found. */
  readonly isAll: boolean;
}

/**
 * Reads logs of one or several agents in the order in which they can be followed; see {@link LogPosition}. SQL by hand:
 * pages that PostgreSQL limits by their bytes.
 */
@Injectable()
export class LogTailRepository {
  /** The position of a reader who has read all rows of these agents. */
  async now(connection: Connection, agentIds: readonly string[]): Promise<string> {
    return formatLogPosition(agentIds, await this.lastNumbers(connection, agentIds));
  }

  /**
   * The same position for these agents alone; one that it does not name begins now.
   *
   * @returns null: the database can't have issued it, because it was restored to an earlier state
   */
  async ofAgents(
    connection: Connection,
    agentIds: readonly string[],
    position: LogPosition,
  ): Promise<string | null> {
    const last = await this.lastNumbers(connection, agentIds);
    const numbers = agentIds.map((agentId, index) => position.get(markOf(agentId)) ?? last[index]!);
    if (numbers.some((number, index) => number > last[index]!)) return null;
    return formatLogPosition(agentIds, numbers);
  }

  /** @param until see `LiveSource.read`; both positions are of the same agents */
  async read(
    connection: Connection,
    tail: LogTail,
    from: string,
    until: string | null,
  ): Promise<LivePage<StoredLog>> {
    const numbers = numbersOf(tail.agentIds, from);
    const last =
      until === null ? await this.lastNumbers(connection, tail.agentIds) : numbersOf(tail.agentIds, until);
    const goal = numbers.map((number, index) => Math.max(number, last[index]!));
    const stretches = tail.agentIds.flatMap((agentId, index): Stretch[] => {
      const [after, upTo] = [numbers[index]!, goal[index]!];
      return after < upTo ? [{ agentId, after, upTo }] : [];
    });
    const [only] = stretches;
    if (!only) return { items: [], end: from, hasMore: false };
    const parts = stretches.length === 1 ? stretches : shortened(stretches);
    const { rows, isAll } =
      stretches.length === 1
        ? await this.linesOf(connection, only, tail.runId)
        : await this.linesOfAll(connection, parts);
    const at = [...numbers];
    const items = rows.map((row) => {
      at[tail.agentIds.indexOf(row.agentId)] = row.position;
      return { row, position: formatLogPosition(tail.agentIds, at) };
    });
    if (isAll) for (const { agentId, upTo } of parts) at[tail.agentIds.indexOf(agentId)] = upTo;
    const hasMore = at.some((number, index) => number < goal[index]!);
    return { items, end: formatLogPosition(tail.agentIds, at), hasMore };
  }

  /** Forgets how many lines an agent that is being removed has written. */
  async forget(connection: Connection, agentId: string): Promise<void> {
    await connection.delete(AgentLogPositionEntity, { agentId });
  }

  /** The number of the last line of each agent, in their order: all lines up to it are committed. */
  private async lastNumbers(connection: Connection, agentIds: readonly string[]): Promise<number[]> {
    const rows = await selectRows(connection, AgentLogPositionEntity, 'known')
      .where('known.agentId = ANY (:agentIds)', { agentIds })
      .getRawMany<AgentLogPositionEntity>();
    const last = new Map(rows.map(({ agentId, lastPosition }) => [agentId, lastPosition]));
    return agentIds.map((agentId) => last.get(agentId) ?? 0);
  }

  private async linesOf(
    connection: Connection,
    { agentId, after, upTo }: Stretch,
    runId: string | undefined,
  ): Promise<Found> {
    const parameters = [latestTime(), agentId, after, upTo];
    const rows =
      runId === undefined
        ? await rowsOf<TailRow>(connection, OF_AGENT, parameters)
        : await rowsOf<TailRow>(connection, OF_RUN, [...parameters, runId]);
    return { rows, isAll: !isCut(rows) && rows.length < ROWS_IN_A_PAGE };
  }

  private async linesOfAll(connection: Connection, stretches: readonly Stretch[]): Promise<Found> {
    const rows = await rowsOf<TailRow>(connection, OF_AGENTS, [
      latestTime(),
      stretches.map(({ agentId }) => agentId),
      stretches.map(({ after }) => after),
      stretches.map(({ upTo }) => upTo),
    ]);
    return { rows, isAll: !isCut(rows) };
  }
}

function numbersOf(agentIds: readonly string[], text: string): number[] {
  const position = parseLogPosition(text);
  return agentIds.map((agentId) => position.get(markOf(agentId))!);
}

/**
 * The beginnings of stretches, each with its share of a page: several servers can't share a statement with a LIMIT
 * for each agent.
 */
function shortened(stretches: readonly Stretch[]): Stretch[] {
  const share = Math.ceil(ROWS_IN_A_PAGE / stretches.length);
  return stretches.map((stretch) => ({ ...stretch, upTo: Math.min(stretch.upTo, stretch.after + share) }));
}

function isCut(rows: readonly TailRow[]): boolean {
  return rows[0] !== undefined && rows[0].taken > rows.length;
}

function latestTime(): Date {
  return new Date(Date.now() + MAXIMUM_AHEAD_MS);
}

/**
 * Ends a page by its bytes. $1: a time after all rows.
 *
 * @param candidate SQL for the rows, which reads `agent_logs AS entry`, with their order by the name `turn`
 */
const paged = (candidate: string) => `
  WITH candidate AS (${candidate}), weighed AS (
    SELECT *, count(*) OVER ()::int AS taken,
      sum(${BYTES_OF_A_LOG}) OVER sofar AS bytes,
      row_number() OVER sofar AS place
    FROM candidate
    WINDOW sofar AS (ORDER BY turn, agent_id, position ROWS UNBOUNDED PRECEDING)
  )
  SELECT ${columnsOf(AgentLogEntity)}, position, taken FROM weighed
  WHERE place = 1 OR bytes <= ${BYTES_IN_A_PAGE}
  ORDER BY place`;

/** $2 the agent, $3 the number after which and $4 the one up to which its lines are read. */
const ofAgent = (narrowing: string) =>
  paged(`SELECT entry.*, 0 AS turn FROM agent_logs AS entry
    WHERE agent_id = $2 AND "timestamp" < $1 AND position > $3 AND position <= $4 ${narrowing}
    ORDER BY position LIMIT ${ROWS_IN_A_PAGE}`);
const OF_AGENT = ofAgent('');
/** $5: a run of the agent. New entries are found by the agent's index, all of them by the run's. */
const OF_RUN = ofAgent('AND run_id = $5::uuid');

/**
 * $2 the agents, $3 and $4 the numbers, as for one agent. Lines of different agents are in the order of their ids, which
 * is that of their arrival; a line never comes before an earlier one of its agent.
 */
const OF_AGENTS = paged(`SELECT entry.*,
    max(entry.id::text) OVER (PARTITION BY entry.agent_id ORDER BY entry.position) AS turn
  FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS stretch (agent_id, after, up_to)
  JOIN agent_logs AS entry ON entry.agent_id = stretch.agent_id AND position > after AND position <= up_to
  WHERE entry."timestamp" < $1`);
