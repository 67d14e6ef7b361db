import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { lists, type PreparedStatement, rowsOf } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type {
  AgentPresence,
  FleetSilence,
  PresenceOutcome,
  PresenceResult,
  PresenceUpdate,
  QuietAgent,
} from './agent.types.js';
import { FLAPPING, FLAPPING_WINDOW, LATE, ONLINE, RECORDED, SECONDS_SILENT, SILENT } from './presence.js';
import { ServiceDeafnessEntity } from './service-deafness.entity.js';

/** See {@link PresenceRepository.record}. */
const RECORD_PRESENCE: PreparedStatement = {
  name: 'record_presence',
  text: `WITH given AS (
      SELECT * FROM unnest(${lists('uuid', 'boolean', 'text', 'text', 'boolean', 'integer')})
        AS given(agent_id, is_heartbeat, status, message, starts_anew, assigned_interval_seconds)
    ), free AS (
      SELECT agent_id, assigned_interval_seconds FROM agent_presence
      WHERE agent_id = ANY (${lists('uuid')}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED
    ), next AS (
      SELECT *, now() AS at, now() + timeout / 3 AS early, now() + timeout AS until FROM (
        SELECT *, make_interval(secs => interval_seconds * $7::float8) AS timeout FROM (
          SELECT given.*, CASE WHEN given.assigned_interval_seconds IS NULL THEN free.assigned_interval_seconds
            ELSE greatest(given.assigned_interval_seconds, free.assigned_interval_seconds / 2) END AS interval_seconds
          FROM given JOIN free USING (agent_id)
        ) AS free
      ) AS timed
    ), written AS (
      UPDATE agent_presence AS presence
      SET last_seen_at = now(),
        online_since = CASE WHEN next.starts_anew THEN next.at ELSE coalesce(presence.online_since, next.at) END,
        online_until = CASE WHEN presence.online_until BETWEEN next.early AND next.until
          THEN presence.online_until ELSE next.until END,
        last_heartbeat_at = CASE WHEN next.is_heartbeat THEN next.at ELSE presence.last_heartbeat_at END,
        assigned_interval_seconds = next.interval_seconds,
        reported_status = CASE WHEN next.is_heartbeat THEN next.status ELSE presence.reported_status END,
        reported_message = CASE WHEN next.is_heartbeat THEN next.message ELSE presence.reported_message END
      FROM next WHERE presence.agent_id = next.agent_id
      RETURNING presence.agent_id, presence.assigned_interval_seconds
    )
    SELECT agent.id AS agent_id, written.agent_id IS NULL AND agent.status <> 'deleting' AS is_held,
      written.assigned_interval_seconds AS "assignedIntervalSeconds", agent.status, agent.version, agent.hostname,
      agent.platform, agent.runtime, EXISTS (
        SELECT FROM deployments WHERE agent_id = agent.id AND failure_cause = 'heartbeat_lost'
      ) AS "hasLostDeployments"
    FROM agents AS agent LEFT JOIN written ON written.agent_id = agent.id
    WHERE agent.id = ANY (${lists('uuid')}::uuid[])`,
};

/** Statements by hand: their conditions are those of `presence.ts`, and TypeORM gives an UPDATE no alias. */
@Injectable()
export class PresenceRepository {
  /**
   * Records any number of updates in one statement, one for each agent. Locked rows are skipped (the monitor locks an
   * agent while it judges it), because one agent must not delay all others. The assigned interval at most halves: an
   * agent whose reply was lost keeps the longer one, and must not count as silent because of it.
   *
   * @returns the outcome for each agent that exists
   */
  async record(
    connection: Connection,
    updates: readonly PresenceUpdate[],
    missedIntervals: number,
  ): Promise<ReadonlyMap<string, PresenceResult>> {
    const heartbeats = updates.map(({ heartbeat }) => heartbeat);
    const rows = await rowsOf<PresenceOutcome & { agent_id: string; is_held: boolean }>(
      connection,
      RECORD_PRESENCE,
      [
        updates.map((update) => update.agentId),
        heartbeats.map((heartbeat) => heartbeat !== undefined),
        heartbeats.map((heartbeat) => heartbeat?.status ?? null),
        heartbeats.map((heartbeat) => heartbeat?.message ?? null),
        updates.map((update) => update.startsAnew ?? false),
        updates.map((update) => update.assignedIntervalSeconds ?? null),
        missedIntervals,
      ],
    );
    return new Map(rows.map((row) => [row.agent_id, row.is_held ? 'held' : row]));
  }

  /** Records that the service has just refused unidentified runtimes. One row for all instances. */
  async recordDeafness(connection: Connection): Promise<void> {
    await connection
      .getRepository(ServiceDeafnessEntity)
      .update({ isOnlyRow: true }, { deafAt: () => 'now()' });
  }

  /**
   * Declares the agent lost if it is still silent, and counts the loss. The count restarts if the first loss is older
   * than the window. A call that arrives now waits for the commit.
   *
   * @returns the number of losses in the window, including this one; undefined if the agent has called in the meantime
   */
  async markLost(tx: Transaction, agentId: string, missedIntervals: number): Promise<number | undefined> {
    const [row] = await rowsOf<{ losses: number }>(
      tx,
      `UPDATE agent_presence AS presence SET online_since = NULL, online_until = last_seen_at,
         losses = CASE WHEN presence.losses_since > clock.window_began THEN least(losses + 1, 32767) ELSE 1 END,
         losses_since = CASE WHEN presence.losses_since > clock.window_began THEN losses_since ELSE clock.at END
       FROM (VALUES (now(), now() - ${FLAPPING_WINDOW})) AS clock (at, window_began)
       WHERE agent_id = $2 AND ${numbered(SILENT)} RETURNING losses`,
      [missedIntervals, agentId],
    );
    return row?.losses;
  }

  /** Finds the flapping ones among the agents. */
  async findFlapping(tx: Transaction, agentIds: readonly string[]): Promise<string[]> {
    const rows = await rowsOf<{ agent_id: string }>(
      tx,
      `SELECT agent_id FROM agent_presence AS presence WHERE agent_id = ANY ($1) AND ${FLAPPING}`,
      [agentIds],
    );
    return rows.map((row) => row.agent_id);
  }

  countOnline(connection: Connection): Promise<number> {
    return connection.getRepository(AgentPresenceEntity).countBy({ onlineSince: Not(IsNull()) });
  }

  async find(
    connection: Connection,
    agentId: string,
    missedIntervals: number,
  ): Promise<AgentPresence | undefined> {
    const [row] = await rowsOf<AgentPresence>(
      connection,
      `SELECT last_seen_at AS "lastSeenAt", ${numbered(ONLINE)} AS "isOnline" FROM agent_presence AS presence
       WHERE agent_id = $2`,
      [missedIntervals, agentId],
    );
    return row;
  }

  /** Reads the fleet size and the quiet agents. Only agents that have sent a heartbeat can become quiet. */
  async findSilence(connection: Connection, missedIntervals: number): Promise<FleetSilence> {
    const watched = `FROM agent_presence AS presence WHERE ${RECORDED.online} AND last_heartbeat_at IS NOT NULL`;
    const quiet = await rowsOf<QuietAgent>(
      connection,
      `SELECT agent_id AS "agentId", ${SECONDS_SILENT} AS "silentSeconds",
         assigned_interval_seconds AS "assignedIntervalSeconds", ${numbered(SILENT)} AS "isOverdue"
       ${watched} AND ${numbered(LATE)}`,
      [missedIntervals],
    );
    const [row] = await rowsOf<{ fleet: number }>(connection, `SELECT count(*)::int AS fleet ${watched}`);
    return { fleet: row!.fleet, quiet };
  }
}

/** Replaces the named parameter of a condition by `$1`. */
function numbered(condition: string): string {
  return condition.replaceAll(':missedIntervals', '$1');
}
