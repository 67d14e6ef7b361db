import { Injectable } from '@nestjs/common';
import { rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import type { AgentPresence, FleetSilence, Sign, SignOutcome, SignResult } from './agent.types.js';

/** The last time the agent could be heard: a time at which the service refused runtimes counts for it. */
const HEARD = 'greatest(last_seen_at, (SELECT deaf_at FROM service_deafness))';
/** $1: how many of its intervals an agent may be silent. */
const SILENT = `${HEARD} < now() - make_interval(secs => told_interval_seconds * $1::float8)`;

@Injectable()
export class PresenceRepository {
  /**
   * One statement for any number of signs, one of each agent; the narrow rows are updated in place. A row that somebody
   * else holds (the monitor, while it judges the agent) is passed over: one agent must not make all others wait. The
   * told interval at most halves: an agent whose reply is lost goes on in the old one, and must not count as silent
   * for that.
   *
   * @returns what became of the signs of those agents that exist
   */
  async record(connection: Connection, signs: readonly Sign[]): Promise<ReadonlyMap<string, SignResult>> {
    const heartbeats = signs.map((sign) => sign.heartbeat);
    const rows = await rowsOf<SignOutcome & { agent_id: string; is_held: boolean }>(
      connection,
      `WITH sign AS (
         SELECT * FROM unnest($1::uuid[], $2::boolean[], $3::text[], $4::text[], $5::boolean[], $6::integer[])
           AS sign(agent_id, is_heartbeat, status, message, starts_anew, told_interval_seconds)
       ), free AS (
         SELECT agent_id FROM agent_presence WHERE agent_id = ANY ($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED
       ), written AS (
         UPDATE agent_presence AS presence
         SET last_seen_at = now(),
           online_since = CASE WHEN sign.starts_anew THEN now() ELSE coalesce(presence.online_since, now()) END,
           last_heartbeat_at = CASE WHEN sign.is_heartbeat THEN now() ELSE presence.last_heartbeat_at END,
           told_interval_seconds = CASE WHEN sign.told_interval_seconds IS NULL THEN presence.told_interval_seconds
             ELSE greatest(sign.told_interval_seconds, presence.told_interval_seconds / 2) END,
           reported_status = CASE WHEN sign.is_heartbeat THEN sign.status ELSE presence.reported_status END,
           reported_message = CASE WHEN sign.is_heartbeat THEN sign.message ELSE presence.reported_message END
         FROM sign JOIN free USING (agent_id)
         WHERE presence.agent_id = sign.agent_id
         RETURNING presence.agent_id, presence.told_interval_seconds
       )
       SELECT agent.id AS agent_id, written.agent_id IS NULL AS is_held,
         written.told_interval_seconds AS "toldIntervalSeconds", agent.status, agent.version, agent.hostname,
         agent.platform
       FROM agents AS agent LEFT JOIN written ON written.agent_id = agent.id
       WHERE agent.id = ANY ($1::uuid[])`,
      [
        signs.map((sign) => sign.agentId),
        heartbeats.map((heartbeat) => heartbeat !== undefined),
        heartbeats.map((heartbeat) => heartbeat?.status ?? null),
        heartbeats.map((heartbeat) => heartbeat?.message ?? null),
        signs.map((sign) => sign.startsAnew ?? false),
        signs.map((sign) => sign.toldIntervalSeconds ?? null),
      ],
    );
    return new Map(rows.map((row) => [row.agent_id, row.is_held ? 'held' : row]));
  }

  /**
   * Notes that this service has turned runtimes away whom it could not name: until now nobody's silence proves
   * anything. One row for all instances.
   */
  async noteDeafness(connection: Connection): Promise<void> {
    await rowsOf(connection, 'UPDATE service_deafness SET deaf_at = now()');
  }

  async restartOnlineSince(tx: Transaction, agentId: string, toldIntervalSeconds: number): Promise<void> {
    await rowsOf(
      tx,
      `UPDATE agent_presence SET last_seen_at = now(), online_since = now(), told_interval_seconds = $2
       WHERE agent_id = $1`,
      [agentId, toldIntervalSeconds],
    );
  }

  /**
   * Counts the agent as offline, and the loss with those of the same window.
   *
   * @returns how often it was lost in the window, this time included
   */
  async recordLoss(tx: Transaction, agentId: string, windowSeconds: number): Promise<number> {
    const [row] = await rowsOf<{ losses: number }>(
      tx,
      `UPDATE agent_presence
       SET online_since = NULL,
         losses = CASE WHEN losses_since > now() - make_interval(secs => $2) THEN least(losses + 1, 32767) ELSE 1 END,
         losses_since = CASE WHEN losses_since > now() - make_interval(secs => $2) THEN losses_since ELSE now() END
       WHERE agent_id = $1 RETURNING losses`,
      [agentId, windowSeconds],
    );
    return row?.losses ?? 1;
  }

  /** @returns those that were lost at least so often in a window that has not ended */
  async findFlapping(
    tx: Transaction,
    agentIds: readonly string[],
    losses: number,
    windowSeconds: number,
  ): Promise<string[]> {
    const rows = await rowsOf<{ agent_id: string }>(
      tx,
      `SELECT agent_id FROM agent_presence
       WHERE agent_id = ANY ($1) AND losses >= $2 AND losses_since > now() - make_interval(secs => $3)`,
      [agentIds, losses, windowSeconds],
    );
    return rows.map((row) => row.agent_id);
  }

  async countOnline(connection: Connection): Promise<number> {
    const [row] = await rowsOf<{ online: number }>(
      connection,
      'SELECT count(*)::int AS online FROM agent_presence WHERE online_since IS NOT NULL',
    );
    return row?.online ?? 0;
  }

  async find(
    connection: Connection,
    agentId: string,
    missedIntervals: number,
  ): Promise<AgentPresence | null> {
    const [row] = await rowsOf<AgentPresence>(
      connection,
      `SELECT last_seen_at AS "lastSeenAt", online_since IS NOT NULL AND NOT (${SILENT}) AS "isOnline"
       FROM agent_presence WHERE agent_id = $2`,
      [missedIntervals, agentId],
    );
    return row ?? null;
  }

  /** @param missedIntervals how many of the intervals that it was told an agent may be silent */
  async findSilence(connection: Connection, missedIntervals: number): Promise<FleetSilence> {
    const [row] = await rowsOf<FleetSilence>(
      connection,
      `SELECT count(*)::int AS fleet,
         coalesce(json_agg(json_build_object(
           'agentId', agent_id,
           'silentSeconds', extract(epoch FROM now() - ${HEARD}),
           'toldIntervalSeconds', told_interval_seconds,
           'isOverdue', ${SILENT}
         )) FILTER (WHERE ${HEARD} < now() - make_interval(secs => told_interval_seconds * greatest($1 - 1, 1))), '[]') AS quiet
       FROM agent_presence WHERE online_since IS NOT NULL AND last_heartbeat_at IS NOT NULL`,
      [missedIntervals],
    );
    return row ?? { fleet: 0, quiet: [] };
  }

  /** Asks again with the row locked: a sign that arrives now waits until the loss is recorded or not. */
  async isStillSilent(tx: Transaction, agentId: string, missedIntervals: number): Promise<boolean> {
    const rows = await rowsOf(
      tx,
      `SELECT FROM agent_presence WHERE agent_id = $2 AND ${SILENT} FOR NO KEY UPDATE`,
      [missedIntervals, agentId],
    );
    return rows.length > 0;
  }
}
