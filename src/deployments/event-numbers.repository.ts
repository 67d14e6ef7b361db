import { Injectable } from '@nestjs/common';
import type { JobTask } from '../database/periodic-job.js';
import { rowsOf } from '../database/sql.js';
import { type Connection, inTransaction, type Transaction } from '../database/transaction.js';

/** Maximum number of events that one transaction numbers: some 20 ms, for which other readers of the project wait. */
const NUMBERED_AT_ONCE = 1_000;
/** Maximum number of projects of one round; the others follow in its next part. */
const PROJECTS_AT_ONCE = 100;

/**
 * Numbers the events of a project after their commits: a reader of the project's sequence first numbers events that
 * have no number, and a job numbers events without a reader. So no transition waits for another one, and a reader who
 * sees a number also sees all smaller ones, permanently. By hand: an UPDATE from numbered rows.
 */
@Injectable()
export class EventNumbersRepository {
  readonly task: JobTask = { name: 'numbers of events', run: (connection) => this.numberAll(connection) };

  /** Numbers a project's events that are committed, {@link NUMBERED_AT_ONCE} of them at most. */
  async catchUp(connection: Connection, projectId: string): Promise<void> {
    const [waiting] = await rowsOf(
      connection,
      'SELECT FROM deployment_events WHERE user_id = $1 AND user_sequence IS NULL LIMIT 1',
      [projectId],
    );
    if (waiting) await inTransaction(connection, (tx) => this.number(tx, projectId));
  }

  /** @returns true if there may be more */
  private async numberAll(connection: Connection): Promise<boolean> {
    const projects = await rowsOf<{ id: string }>(
      connection,
      'SELECT DISTINCT user_id AS id FROM deployment_events WHERE user_sequence IS NULL LIMIT $1',
      [PROJECTS_AT_ONCE],
    );
    let hasMore = projects.length === PROJECTS_AT_ONCE;
    for (const { id } of projects) {
      const numbered = await inTransaction(connection, (tx) => this.number(tx, id));
      if (numbered === NUMBERED_AT_ONCE) hasMore = true;
    }
    return hasMore;
  }

  /**
   * The lock comes in a statement of its own, because only a statement that begins after it sees the numbers that the
   * one before has given. An event is inserted while its deployment is locked, so the positions of a deployment are in
   * the order of its steps.
   */
  private async number(tx: Transaction, projectId: string): Promise<number> {
    await rowsOf(
      tx,
      `INSERT INTO user_event_counters AS counter (user_id, last_sequence) VALUES ($1, 0)
       ON CONFLICT (user_id) DO UPDATE SET last_sequence = counter.last_sequence`,
      [projectId],
    );
    const [counted] = await rowsOf<{ numbered: number }>(
      tx,
      `WITH next AS MATERIALIZED (
         SELECT id, row_number() OVER (ORDER BY position) AS number FROM (
           SELECT id, position FROM deployment_events WHERE user_id = $1 AND user_sequence IS NULL
           ORDER BY position LIMIT $2
         ) AS waiting
       ), numbered AS (
         UPDATE deployment_events AS event SET user_sequence = counter.last_sequence + next.number
         FROM next, user_event_counters AS counter WHERE event.id = next.id AND counter.user_id = $1
         RETURNING event.id
       )
       UPDATE user_event_counters SET last_sequence = last_sequence + (SELECT count(*) FROM numbered)
       WHERE user_id = $1 RETURNING (SELECT count(*)::int FROM numbered) AS numbered`,
      [projectId, NUMBERED_AT_ONCE],
    );
    return counted!.numbered;
  }
}
