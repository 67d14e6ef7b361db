import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { deleteFound, deleteOld } from '../database/deleted-rows.js';
import { rowsOf } from '../database/sql.js';
import { TelemetryDatabase } from '../database/telemetry-database.js';
import type { Connection } from '../database/transaction.js';
import { ACTIVE_STATUSES } from '../lifecycle/deployment-lifecycle.js';
import { TelemetryBatchEntity } from './telemetry-batch.entity.js';
import type { BatchKey, BatchOutcome, TelemetryBatch } from './telemetry.types.js';

const ACTIVE = ACTIVE_STATUSES.map((status) => `'${status}'`).join(', ');

/**
 * The only active deployment of each agent that has exactly one: entries without a deployment are assigned to it. $1:
 * the agents, repetitions allowed. Part of the statement that writes the entries where both are in one database, because
 * a separate query would double the cost of an entry; so it reads the table of a feature below.
 */
const SOLE_ACTIVE_DEPLOYMENTS = `SELECT agent_id, (array_agg(id))[1] AS deployment_id FROM deployments
  WHERE agent_id = ANY ($1::uuid[]) AND status IN (${ACTIVE}) GROUP BY agent_id HAVING count(*) = 1`;

/** For a database without deployments: {@link TelemetryBatchesRepository.soleDeployments} is asked before. */
const NO_DEPLOYMENTS = 'SELECT NULL::uuid AS agent_id, NULL::uuid AS deployment_id WHERE false';

/**
 * SQL for an entry's time, by the name `moment`: milliseconds since 1970, as in `Date`. A time as text costs PostgreSQL
 * a fifteenth more for each row.
 */
export const TIME_OF_ENTRY = `'epoch'::timestamptz + moment * interval '1 millisecond'`;

export interface RowWriting<Row> {
  /** The statement's name on its connection. */
  readonly name: string;
  /**
   * An INSERT that ends with its FROM clause. It reads `entry`, built from the parameters, with its `place` counted
   * from 1; `sole`, the only active deployments of the agents in the first parameter; and what `numbering` defines.
   */
  readonly insert: string;
  /**
   * A common table expression that gives numbers to the rows; absent: they have none. It locks rows, and therefore
   * waits until the keys are locked, so that all statements lock in one order.
   *
   * @param condition true as soon as the keys are locked
   */
  readonly numbering?: (condition: string) => string;
  /** The parameters: one array for each column of `entry`, with the values of all rows. */
  readonly columnsOf: (rows: readonly Row[]) => unknown[][];
}

/** How long a key is kept; milliseconds. */
const KEPT_MS = 24 * 60 * 60_000;

/** A batch, and the places of its first and its last row among the rows of the statement, counted from 1. */
interface Placed {
  readonly key: BatchKey;
  readonly firstPlace: number;
  readonly lastPlace: number;
}

interface Kept {
  readonly key_hash: Buffer;
  /** Fingerprint of the batch that owns the key: this one, or one that was stored before. */
  readonly fingerprint: Buffer;
  readonly is_first: boolean;
}

@Injectable()
export class TelemetryBatchesRepository {
  private readonly sole: string;

  constructor(telemetry: TelemetryDatabase) {
    this.sole = telemetry.isApart ? NO_DEPLOYMENTS : SOLE_ACTIVE_DEPLOYMENTS;
  }

  /**
   * The only active deployment of each of these agents that has exactly one.
   *
   * @param connection to the main database
   */
  async soleDeployments(
    connection: Connection,
    agentIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (agentIds.length === 0) return new Map();
    const rows = await rowsOf<{ agent_id: string; deployment_id: string }>(
      connection,
      SOLE_ACTIVE_DEPLOYMENTS,
      [agentIds],
    );
    return new Map(rows.map((row) => [row.agent_id, row.deployment_id]));
  }

  /**
   * Writes batches in one statement: all of them or none, each with its key. Only the first batch of a key is written.
   * Others of that key may be in the same group, or stored before, or be stored by another transaction at this moment;
   * then the statement waits for that commit. By hand: the rows of many requests and their keys, with `unnest` and
   * CTEs.
   *
   * @returns the outcome of each, in order
   */
  async write<Row>(
    connection: Connection,
    batches: readonly TelemetryBatch<Row>[],
    writing: RowWriting<Row>,
  ): Promise<BatchOutcome[]> {
    const { name, columnsOf } = writing;
    const leading = leadingBatches(batches);
    const columns = columnsOf(leading.flatMap(({ rows }) => rows));
    const placed = placesOf(leading);
    if (placed.length === 0) {
      await rowsOf(connection, { name, text: plain(writing, this.sole) }, columns);
      return batches.map(() => 'stored');
    }
    const now = Date.now();
    const kept = await rowsOf<Kept>(
      connection,
      { name: `${name}_with_keys`, text: keyed(writing, this.sole, columns.length) },
      [
        ...columns,
        placed.map(({ key }) => key.agentId),
        placed.map(({ key }) => key.keyHash),
        placed.map(({ key }) => key.fingerprint),
        placed.map(({ firstPlace }) => firstPlace),
        placed.map(({ lastPlace }) => lastPlace),
        randomUUID(),
        new Date(now),
        new Date(now + KEPT_MS),
      ],
    );
    return outcomesOf(batches, leading, kept);
  }

  /**
   * Deletes expired keys, except those that a batch is taking over. @returns the number of deleted keys; fewer than
   * `limit`: there are no more
   */
  deleteExpired(connection: Connection, limit: number): Promise<number> {
    return deleteOld(connection, TelemetryBatchEntity, { since: 'old.expiresAt' }, limit);
  }

  /** Deletes the keys of an agent. @returns as {@link deleteExpired} */
  deleteOfAgent(connection: Connection, agentId: string, limit: number): Promise<number> {
    const ofAgent = connection
      .createQueryBuilder(TelemetryBatchEntity, 'batch')
      .where({ agentId })
      .limit(limit);
    return deleteFound(connection, ofAgent);
  }
}

type Parts = Pick<RowWriting<never>, 'insert' | 'numbering'>;

function plain({ insert, numbering }: Parts, sole: string): string {
  const numbers = numbering ? `, ${numbering('true')}` : '';
  return `WITH sole AS (${sole})${numbers} ${insert}`;
}

/**
 * An expired key counts as absent. A valid one is updated to its own values: that locks it, and returns its fingerprint
 * even if it was committed after this statement began. The time, and the statement by which a batch is known as its
 * own, are parameters: a server in front of several others takes no function in ON CONFLICT.
 */
function keyed({ insert, numbering }: Parts, sole: string, columns: number): string {
  const [agentIds, keyHashes, fingerprints, firstPlaces, lastPlaces, statement, now, end] = [
    1, 2, 3, 4, 5, 6, 7, 8,
  ].map((n) => `$${columns + n}`);
  const isExpired = `batch.expires_at <= ${now}::timestamptz`;
  const numbers = numbering ? `, ${numbering('(SELECT count(*) FROM kept) > 0')}` : '';
  return `WITH given AS (
      SELECT * FROM unnest(${agentIds}::uuid[], ${keyHashes}::bytea[], ${fingerprints}::bytea[],
        ${firstPlaces}::int[], ${lastPlaces}::int[])
        AS given (agent_id, key_hash, fingerprint, first_place, last_place)
    ), kept AS (
      INSERT INTO telemetry_batches AS batch (agent_id, key_hash, fingerprint, expires_at, stored_by)
      SELECT agent_id, key_hash, fingerprint, ${end}::timestamptz, ${statement}::uuid FROM given
      ON CONFLICT (agent_id, key_hash) DO UPDATE SET
        fingerprint = CASE WHEN ${isExpired} THEN excluded.fingerprint ELSE batch.fingerprint END,
        expires_at = CASE WHEN ${isExpired} THEN excluded.expires_at ELSE batch.expires_at END,
        stored_by = CASE WHEN ${isExpired} THEN excluded.stored_by ELSE batch.stored_by END
      RETURNING key_hash, fingerprint, stored_by IS NOT DISTINCT FROM ${statement}::uuid AS is_first
    ), repeated AS (
      SELECT first_place, last_place FROM given JOIN kept USING (key_hash) WHERE NOT is_first
    ), sole AS (${sole}
    )${numbers}, written AS (
      ${insert}
      WHERE NOT EXISTS (SELECT FROM repeated WHERE entry.place BETWEEN first_place AND last_place)
    )
    SELECT key_hash, fingerprint, is_first FROM kept`;
}

/** The first batch of each key: a statement can't insert a key twice. */
function leadingBatches<Row>(batches: readonly TelemetryBatch<Row>[]): TelemetryBatch<Row>[] {
  const seen = new Set<string>();
  return batches.filter(({ key }) => {
    if (!key) return true;
    const name = nameOf(key.keyHash);
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/**
 * Orders the batches in the same way for all statements, so that two statements with the same keys wait for each other
 * without a deadlock.
 */
function placesOf(batches: readonly TelemetryBatch<unknown>[]): Placed[] {
  let lastPlace = 0;
  const placed: Placed[] = [];
  for (const { key, rows } of batches) {
    const firstPlace = lastPlace + 1;
    lastPlace += rows.length;
    if (key) placed.push({ key, firstPlace, lastPlace });
  }
  return placed.sort((one, other) => one.key.keyHash.compare(other.key.keyHash));
}

function outcomesOf(
  batches: readonly TelemetryBatch<unknown>[],
  leading: readonly TelemetryBatch<unknown>[],
  kept: readonly Kept[],
): BatchOutcome[] {
  const keptBy = new Map(kept.map((row) => [nameOf(row.key_hash), row]));
  const leads = new Set(leading);
  return batches.map((batch) => {
    if (!batch.key) return 'stored';
    const holder = keptBy.get(nameOf(batch.key.keyHash))!;
    if (holder.is_first && leads.has(batch)) return 'stored';
    return holder.fingerprint.equals(batch.key.fingerprint) ? 'repeated' : 'refused';
  });
}

function nameOf(keyHash: Buffer): string {
  return keyHash.toString('base64');
}
