import { Injectable } from '@nestjs/common';
import { IsNull, MoreThanOrEqual, Not } from 'typeorm';
import { returnedRows, selectRows } from '../database/entity-rows.js';
import { lists, type PreparedStatement, rowsOf, rowsOfPrepared } from '../database/sql.js';
import type { Connection, Transaction } from '../database/transaction.js';
import { AgentPresenceEntity } from './agent-presence.entity.js';
import type {
  AgentPresence,
  FleetSilence,
  PresenceOutcome,
  PresenceResult,
  PresenceUpdate,
} from './agent.types.js';
import { LAST_CALL, ONLINE, SILENT } from './agent-conditions.js';
import { ServiceDeafnessEntity } from './service-deafness.entity.js';

/** The agents' ids, as {@link lists} has them. */
const LISTED = `${lists('uuid')}::uuid[]`;
/** See {@link PresenceRepository.record}. */
const RECORD_PRESENCE: PreparedStatement = {
  name: 'record_presence',
  text: `WITH given AS (
      SELECT * FROM unnest(${lists('uuid', 'boolean', 'text', 'text', 'boolean', 'integer')})
        AS given(agent_id, is_heartbeat, status, message, starts_anew, assigned_interval_seconds)
    ), free AS (
      SELECT agent_id FROM agent_presence WHERE agent_id = ANY (${LISTED}) FOR NO KEY UPDATE SKIP LOCKED
    ), written AS (
      UPDATE agent_presence AS presence
      SET last_seen_at = now(), contact = 'recent',
        online_since = CASE WHEN given.starts_anew THEN now() ELSE coalesce(presence.online_since, now()) END,
        last_heartbeat_at = CASE WHEN given.is_heartbeat THEN now() ELSE presence.last_heartbeat_at END,
        assigned_interval_seconds = CASE WHEN given.assigned_interval_seconds IS NULL THEN presence.assigned_interval_seconds
          ELSE greatest(given.assigned_interval_seconds, presence.assigned_interval_seconds / 2) END,
        reported_status = CASE WHEN given.is_heartbeat THEN given.status ELSE presence.reported_status END,
        reported_message = CASE WHEN given.is_heartbeat THEN given.message ELSE presence.reported_message END
      FROM given JOIN free USING (agent_id)
      WHERE presence.agent_id = given.agent_id
      RETURNING presence.agent_id, presence.assigned_interval_seconds
    )
    SELECT agent.id AS agent_id, written.agent_id IS NULL AND agent.status <> 'deleting' AS is_held,
      written.assigned_interval_seconds AS "assignedIntervalSeconds", agent.status, agent.version, agent.hostname,
      agent.platform, EXISTS (
        SELECT FROM deployments WHERE agent_id = agent.id AND failure_cause = 'heartbeat_lost'
      ) AS "hasLostDeployments"
    FROM agents AS agent LEFT JOIN written ON written.agent_id = agent.id
    WHERE agent.id = ANY (${LISTED})`,
};

/** See {@link PresenceRepository.review}. */
const CONTACT = `CASE WHEN last_seen_at IS NULL THEN 'none' WHEN online_since IS NULL THEN 'lost'
  WHEN last_seen_at < now() - make_interval(secs => assigned_interval_seconds * $1::float8 - $2) THEN 'quiet' ELSE 'recent' END`;
const REVIEW = `WITH differing AS (
    SELECT agent_id FROM agent_presence WHERE contact <> ${CONTACT} LIMIT $3
  ), free AS (
    SELECT agent_id FROM agent_presence WHERE agent_id IN (SELECT agent_id FROM differing) FOR NO KEY UPDATE SKIP LOCKED
  ), corrected AS (
    UPDATE agent_presence SET contact = ${CONTACT}, quiet_since = last_seen_at
    FROM free WHERE agent_presence.agent_id = free.agent_id RETURNING agent_presence.agent_id
  ), counted AS (
    SELECT (SELECT count(*)::int FROM differing) AS differing, (SELECT count(*)::int FROM corrected) AS corrected
  ), reviewed AS (
    UPDATE presence_review SET reviewed_at = now(), holds_until = now() + make_interval(secs => $2)
    FROM counted WHERE counted.differing = counted.corrected AND counted.differing < $3
  )
  SELECT differing FROM counted`;

@Injectable()
export class PresenceRepository {
  /**
   * One statement for any number of updates, one of each agent; the narrow rows are updated in place. A row that is
   * locked (by the monitor, while it judges the agent) is skipped: one agent must not make all others wait. The assigned
   * interval at most halves: an agent whose reply is lost goes on in the old one, and must not count as silent for that.
   * By hand: the hot path of every heartbeat, with `unnest` and SKIP LOCKED.
   *
   * @returns the outcome for each of the agents that exist
   */
  async record(
    connection: Connection,
    updates: readonly PresenceUpdate[],
  ): Promise<ReadonlyMap<string, PresenceResult>> {
    const heartbeats = updates.map(({ heartbeat }) => heartbeat);
    const rows = await rowsOfPrepared<PresenceOutcome & { agent_id: string; is_held: boolean }>(
      connection,
      RECORD_PRESENCE,
      [
        updates.map((update) => update.agentId),
        heartbeats.map((heartbeat) => heartbeat !== undefined),
        heartbeats.map((heartbeat) => heartbeat?.status ?? null),
        heartbeats.map((heartbeat) => heartbeat?.message ?? null),
        updates.map((update) => update.startsAnew ?? false),
        updates.map((update) => update.assignedIntervalSeconds ?? null),
      ],
    );
    return new Map(rows.map((row) => [row.agent_id, row.is_held ? 'held' : row]));
  }

  /** Records that the service has refused unidentified runtimes just now. One row for all instances. */
  async recordDeafness(connection: Connection): Promise<void> {
    await connection
      .getRepository(ServiceDeafnessEntity)
      .update({ isOnlyRow: true }, { deafAt: () => 'now()' });
  }

  async restartOnlineSince(tx: Transaction, agentId: string, assignedIntervalSeconds: number): Promise<void> {
    await tx.getRepository(AgentPresenceEntity).update(agentId, {
      lastSeenAt: () => 'now()',
      onlineSince: () => 'now()',
      contact: 'recent',
      assignedIntervalSeconds,
    });
  }

  /**
   * Marks the agent as offline and counts the loss; the count restarts where the first loss is older than the window.
   *
   * @returns how often it was lost in the window, this time included
   */
  async recordLoss(tx: Transaction, agentId: string, windowSeconds: number): Promise<number> {
    const isInWindow = 'lossesSince > now() - make_interval(secs => :windowSeconds)';
    const [row] = await returnedRows<Pick<AgentPresenceEntity, 'losses'>>(
      tx
        .createQueryBuilder()
        .update(AgentPresenceEntity)
        .set({
          onlineSince: null,
          losses: () => `CASE WHEN ${isInWindow} THEN least(losses + 1, 32767) ELSE 1 END`,
          lossesSince: () => `CASE WHEN ${isInWindow} THEN lossesSince ELSE now() END`,
        })
        .where({ agentId })
        .setParameters({ windowSeconds })
        .returning('losses'),
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
    const rows = await selectRows(tx, AgentPresenceEntity, 'presence', ['agentId'])
      .where('presence.agentId = ANY (:agentIds)', { agentIds })
      .andWhere({ losses: MoreThanOrEqual(losses) })
      .andWhere('presence.lossesSince > now() - make_interval(secs => :windowSeconds)', { windowSeconds })
      .getRawMany<{ agentId: string }>();
    return rows.map(({ agentId }) => agentId);
  }

  /**
   * Corrects the contact of agents from what their rows say, of so many at most. If none is left that differs, the contacts
   * can be trusted for the next seconds: an agent becomes `quiet` that long before it can count as silent. Rows that
   * somebody else holds are left out, and the review then does not count. By hand: three writes that belong together.
   *
   * @param holdSeconds at most a quarter of the time that an agent may be silent
   * @returns true where more may differ
   */
  async review(
    connection: Connection,
    missedIntervals: number,
    holdSeconds: number,
    limit: number,
  ): Promise<boolean> {
    const [row] = await rowsOf<{ differing: number }>(connection, REVIEW, [
      missedIntervals,
      holdSeconds,
      limit,
    ]);
    return row!.differing === limit;
  }

  countOnline(connection: Connection): Promise<number> {
    return connection.getRepository(AgentPresenceEntity).countBy({ onlineSince: Not(IsNull()) });
  }

  async find(
    connection: Connection,
    agentId: string,
    missedIntervals: number,
  ): Promise<AgentPresence | null> {
    const row = await selectRows(connection, AgentPresenceEntity, 'presence', ['lastSeenAt'])
      .addSelect(ONLINE, 'isOnline')
      .where({ agentId })
      .setParameters({ missedIntervals })
      .getRawOne<AgentPresence>();
    return row ?? null;
  }

  /** @param missedIntervals how many of its assigned intervals an agent may be silent */
  async findSilence(connection: Connection, missedIntervals: number): Promise<FleetSilence> {
    const isNearlySilent = `${LAST_CALL} < now() - make_interval(secs => presence.assignedIntervalSeconds * greatest(:missedIntervals - 1, 1))`;
    const row = await connection
      .createQueryBuilder(AgentPresenceEntity, 'presence')
      .select('count(*)::int', 'fleet')
      .addSelect(
        `coalesce(jsonb_agg(jsonb_build_object(
           'agentId', presence.agentId,
           'silentSeconds', extract(epoch FROM now() - ${LAST_CALL}),
           'assignedIntervalSeconds', presence.assignedIntervalSeconds,
           'isOverdue', ${SILENT}
         )) FILTER (WHERE ${isNearlySilent}), '[]')`,
        'quiet',
      )
      .where({ onlineSince: Not(IsNull()), lastHeartbeatAt: Not(IsNull()) })
      .setParameters({ missedIntervals })
      .getRawOne<FleetSilence>();
    return row ?? { fleet: 0, quiet: [] };
  }

  /** Checks again with the row locked: a call that arrives now waits until the loss is recorded or not. */
  async isStillSilent(tx: Transaction, agentId: string, missedIntervals: number): Promise<boolean> {
    const row = await selectRows(tx, AgentPresenceEntity, 'presence', ['agentId'])
      .where({ agentId })
      .andWhere(SILENT, { missedIntervals })
      .setLock('for_no_key_update')
      .getRawOne<{ agentId: string }>();
    return row !== undefined;
  }
}
