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
