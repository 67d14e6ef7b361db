import { rowsOf } from './limit-database.js';

interface Beat {
  readonly agentId: string;
  readonly status: string;
  readonly message: string;
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
export async function heartbeat({ agentId, status, message }: Beat): Promise<object> {
  const [told] = await rowsOf<Told>(
    'heartbeat',
    `WITH written AS (
       UPDATE agent_presence
       SET last_seen_at = now(), last_heartbeat_at = now(), online_since = coalesce(online_since, now()),
         online_until = CASE
           WHEN online_until > now() + make_interval(secs => assigned_interval_seconds) THEN online_until
           ELSE now() + make_interval(secs => assigned_interval_seconds * 3) END,
         reported_status = $2, reported_message = $3
       WHERE agent_id = $1 RETURNING agent_id, assigned_interval_seconds
     )
     SELECT written.*, agent.status, agent.version, agent.hostname, agent.platform, agent.runtime,
       EXISTS (SELECT FROM deployments WHERE agent_id = $1 AND failure_cause = 'heartbeat_lost') AS has_lost
     FROM written JOIN agents AS agent ON agent.id = written.agent_id`,
    [agentId, status, message],
  );
  return replyTo(told!);
}
