import { grouped } from './grouped.js';
import { rowsOf } from './limit-database.js';

interface Beat {
  readonly agentId: string;
  readonly status: string;
}

interface Told {
  readonly agent_id: string;
  readonly assigned_interval_seconds: number;
}

function replyTo(told: Told): object {
  return {
    status: 'ok',
    agent_id: told.agent_id,
    timestamp: new Date().toISOString(),
    heartbeat_interval_seconds: told.assigned_interval_seconds,
    pending_commands: 0,
  };
}

/** One statement, and one commit, for each heartbeat. */
export async function heartbeat({ agentId, status }: Beat): Promise<object> {
  const [told] = await rowsOf<Told>(
    'heartbeat',
    `UPDATE agent_presence
     SET last_seen_at = now(), last_heartbeat_at = now(), online_since = coalesce(online_since, now()),
       reported_status = $2
     WHERE agent_id = $1 RETURNING agent_id, assigned_interval_seconds`,
    [agentId, status],
  );
  return replyTo(told!);
}

/** The same, for all heartbeats that arrived while the last ones were committed. */
export const heartbeatInGroup = grouped(async (beats: readonly Beat[]) => {
  const rows = await rowsOf<Told>(
    'heartbeats',
    `UPDATE agent_presence AS presence
     SET last_seen_at = now(), last_heartbeat_at = now(), online_since = coalesce(online_since, now()),
       reported_status = beat.status
     FROM unnest($1::uuid[], $2::text[]) AS beat (agent_id, status)
     WHERE presence.agent_id = beat.agent_id RETURNING presence.agent_id, assigned_interval_seconds`,
    [beats.map(({ agentId }) => agentId), beats.map(({ status }) => status)],
  );
  const told = new Map(rows.map((row) => [row.agent_id, row]));
  return beats.map(({ agentId }) => replyTo(told.get(agentId)!));
});
