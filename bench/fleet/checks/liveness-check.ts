import { silenceMs } from '../plan.js';
import type { Evidence, Violate } from './evidence.js';

export interface LossCounts {
  /** Agents that were declared lost although they had called. */
  false: number;
  /** Agents that were declared lost and had been silent, for example because this machine was busy. */
  true: number;
}

/** An agent counts as online since after its own registration: it must have been declared lost in between. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Each lost agent was really silent. The simulator knows when each call was sent and answered; a call that lies
 * wholly within the time that an agent may be silent proves a loss to be false.
 */
export async function checkLiveness(evidence: Evidence, violate: Violate): Promise<LossCounts> {
  const losses = { false: 0, true: 0 };
  await judgeDeployments(evidence, losses, violate);
  await judgeAgents(evidence, losses, violate);
  const others = await evidence.stage.query<{ event_type: string; count: number; dead: number }>(
    `SELECT event_type, count(*)::int AS count, (SELECT count(*)::int FROM commands WHERE state = 'dead') AS dead
     FROM deployment_events WHERE actor = 'monitor' AND event_type <> 'heartbeat_lost' GROUP BY event_type`,
  );
  for (const { event_type: type, count, dead } of others) {
    // A command that was given up after five deliveries fails its deployment; nothing else may.
    if (type !== 'failed' || count > dead)
      violate('the monitor failed a healthy deployment', `${count} times ${type}`);
  }
  return losses;
}

async function judgeDeployments({ plan, stage, fleet }: Evidence, losses: LossCounts, violate: Violate) {
  const agents = new Map(fleet.agents.map((agent) => [agent.identity.id, agent]));
  const lost = await stage.query<{ deployment_id: string; agent_id: string; at: number }>(
    `SELECT event.deployment_id, deployment.agent_id, (extract(epoch FROM event.created_at) * 1000)::float8 AS at
     FROM deployment_events AS event JOIN deployments AS deployment ON deployment.id = event.deployment_id
     WHERE event.event_type = 'heartbeat_lost'`,
  );
  for (const { deployment_id: id, agent_id: agentId, at } of lost) {
    const heard = agents.get(agentId)?.client.wasHeard(at - silenceMs(plan), at) ?? false;
    losses[heard ? 'false' : 'true']++;
    if (heard) violate('false loss', `deployment ${id} of agent ${agentId} at ${new Date(at).toISOString()}`);
  }
}

/** A loss clears `online_since`, also without an event, and the next sign of life sets it again. */
async function judgeAgents({ plan, stage, fleet }: Evidence, losses: LossCounts, violate: Violate) {
  // Taken before the table is read, because agents continue sending heartbeats.
  const beats = new Map(fleet.agents.map((agent) => [agent, agent.heartbeatAt]));
  const rows = await stage.query<{
    id: string;
    status: string;
    online_since: number | null;
    heartbeat_at: number | null;
  }>(
    `SELECT agent.id, agent.status, (extract(epoch FROM online_since) * 1000)::float8 AS online_since,
       (extract(epoch FROM last_heartbeat_at) * 1000)::float8 AS heartbeat_at
     FROM agents AS agent JOIN agent_presence AS presence ON presence.agent_id = agent.id`,
  );
  const stored = new Map(rows.map((row) => [row.id, row]));
  for (const agent of fleet.agents) {
    const { id } = agent.identity;
    const row = stored.get(id);
    if (!row) {
      violate('an agent is gone', id);
      continue;
    }
    const wasLost =
      row.online_since === null ||
      (agent.unsureRegistrations === 0 && row.online_since > agent.registeredAt + CLOCK_TOLERANCE_MS);
    if (wasLost) {
      const silent = agent.client.longestSilence() > silenceMs(plan);
      losses[silent ? 'true' : 'false']++;
      if (!silent)
        violate('false loss', `agent ${id}, never silent for more than ${agent.client.longestSilence()} ms`);
    }
    if (row.status === 'failed' || row.status === 'creating') {
      violate('an agent that beats is not running', `${id}: ${row.status}`);
    }
    const beatAt = beats.get(agent)!;
    if ((row.heartbeat_at ?? 0) + 1 < beatAt) {
      violate('an acknowledged heartbeat is not there', `${id}: ${row.heartbeat_at} instead of ${beatAt}`);
    }
  }
}
