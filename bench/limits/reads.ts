import { rowsOf } from './limit-database.js';

/** Columns of an agent's response, and those from which its connection and health are derived. */
const AGENT_COLUMNS = `agent.id, agent.id AS agent_id, agent.user_id, agent.name, agent.description, agent.type,
  agent.labels, version.config, agent.config_version, agent.status, agent.version, agent.hostname, agent.platform,
  agent.capabilities, agent.metadata, agent.workload, agent.workload_reason, presence.reported_status,
  presence.reported_message, presence.online_since, presence.last_seen_at, presence.assigned_interval_seconds,
  presence.last_heartbeat_at AS last_heartbeat, agent.created_at, agent.updated_at`;
const AGENT_TABLES = `agents AS agent LEFT JOIN agent_presence AS presence ON presence.agent_id = agent.id
  LEFT JOIN agent_configs AS version ON (version.agent_id, version.config_version) = (agent.id, agent.config_version)`;
/** The limit is a constant: with a parameter PostgreSQL would plan each read again, which takes as long as the read. */
const AGENTS_OF = `SELECT ${AGENT_COLUMNS} FROM ${AGENT_TABLES}
  WHERE agent.user_id = $1 AND agent.status <> 'deleting' ORDER BY agent.id DESC LIMIT 50`;

export async function listAgents(userId: string): Promise<string> {
  return JSON.stringify(await rowsOf('agents', AGENTS_OF, [userId]));
}

export async function showAgent(userId: string, agentId: string): Promise<string> {
  const [agents, deployments] = await Promise.all([
    rowsOf(
      'agent',
      `SELECT ${AGENT_COLUMNS} FROM ${AGENT_TABLES}
       WHERE agent.id = $1 AND agent.user_id = $2 AND agent.status <> 'deleting'`,
      [agentId, userId],
    ),
    rowsOf(
      'deployments',
      `SELECT id, id AS deployment_id, agent_id, status, status_source, config_version, replicas, ready_replicas,
         generation, observed_generation, node_id, error_message, restart_count, last_exit, created_at, started_at,
         ended_at, updated_at
       FROM deployments WHERE agent_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 100`,
      [agentId, userId],
    ),
  ]);
  return JSON.stringify({ ...agents[0], deployments });
}

const EVENTS = 100;

export async function listEvents(userId: string, deploymentId: string): Promise<string> {
  const [deployments, events] = await Promise.all([
    rowsOf('deployment', 'SELECT id, status, last_sequence FROM deployments WHERE id = $1 AND user_id = $2', [
      deploymentId,
      userId,
    ]),
    rowsOf(
      'events',
      `SELECT id, deployment_id, sequence, event_type, status, previous_status, replicas, actor, node_id,
         error_message, created_at
       FROM deployment_events WHERE deployment_id = $1 ORDER BY sequence DESC LIMIT $2`,
      // The limit is a parameter: with a constant, the generic plan would sort the whole history.
      [deploymentId, EVENTS],
    ),
  ]);
  return JSON.stringify({ ...deployments[0], events });
}
