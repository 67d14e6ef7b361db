import { rowsOf } from './limit-database.js';

/** SQL for the connection of a reply, by the database's clock. */
const CONNECTION = `CASE WHEN presence.online_since IS NULL AND presence.losses = 0 THEN 'never_connected'
  WHEN presence.online_since IS NOT NULL
    AND greatest(presence.last_seen_at, (SELECT deaf_at FROM service_deafness))
      >= now() - make_interval(secs => presence.assigned_interval_seconds * 3) THEN 'online'
  ELSE 'offline' END`;
/** SQL for the oldest pause of an agent. */
const PAUSED = `CASE WHEN agent.paused_at IS NOT NULL THEN (
  SELECT jsonb_build_object('pause_id', pause.id, 'by', pause.by, 'reason', pause.reason, 'at', pause.created_at)
  FROM agent_pauses AS held JOIN pauses AS pause ON pause.id = held.pause_id
  WHERE held.agent_id = agent.id ORDER BY pause.created_at, pause.id LIMIT 1) END`;
/** SQL for what an agent's active deployments have together. */
const DEPLOYED = `(SELECT jsonb_build_object(
    'config_version', (array_agg(deployment.config_version ORDER BY deployment.created_at DESC, deployment.id DESC))[1],
    'deployments', count(*), 'replicas', sum(deployment.replicas),
    'ready_replicas', sum(least(deployment.ready_replicas, deployment.replicas)))
  FROM deployments AS deployment
  WHERE deployment.agent_id = agent.id AND deployment.status IN ('deploying', 'running', 'ready')
  HAVING count(*) > 0)`;
/** Columns of an agent's response, and those from which its health is derived. */
const AGENT_COLUMNS = `agent.id, agent.id AS agent_id, agent.user_id, agent.user_id AS project_id, agent.name,
  agent.description, agent.type, agent.labels, version.config, agent.config_version, agent.on_loop, agent.capture,
  agent.usage_from, agent.status, agent.version, agent.hostname, agent.platform, agent.capabilities, agent.metadata,
  agent.runtime, agent.workload, agent.workload_reason, presence.reported_status, presence.reported_message,
  presence.last_heartbeat_at AS last_heartbeat, agent.created_at, agent.updated_at,
  ${CONNECTION} AS connection, ${PAUSED} AS paused, ${DEPLOYED} AS deployed`;
const AGENT_TABLES = `agents AS agent LEFT JOIN agent_presence AS presence ON presence.agent_id = agent.id
  LEFT JOIN agent_configs AS version ON (version.agent_id, version.config_version) = (agent.id, agent.config_version)`;
/** The limit is a constant: with a parameter the plan would expect a tenth of all rows. */
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
      `SELECT id, id AS deployment_id, agent_id, user_id AS project_id,
         (SELECT name FROM agents WHERE agents.id = agent_id) AS agent_name, status, status_source, config_version,
         replicas, ready_replicas, generation, observed_generation, node_id, error_message, restart_count, last_exit,
         created_at, started_at, ended_at, updated_at
       FROM deployments WHERE agent_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 100`,
      [agentId, userId],
    ),
  ]);
  return JSON.stringify({ ...agents[0], deployments });
}

const EVENTS = 100;

interface Step {
  readonly actor: string;
}

export async function listEvents(userId: string, deploymentId: string): Promise<string> {
  const [deployments, events] = await Promise.all([
    rowsOf<{ last_sequence: number }>(
      'deployment',
      'SELECT id, status, last_sequence FROM deployments WHERE id = $1 AND user_id = $2',
      [deploymentId, userId],
    ),
    rowsOf<Step>(
      'events',
      `SELECT id, deployment_id, user_id AS project_id, sequence, event_type, status, previous_status, replicas, actor,
         node_id, error_message, created_at
       FROM deployment_events WHERE deployment_id = $1 ORDER BY sequence DESC LIMIT $2`,
      // The limit is a parameter: with a constant, the generic plan would sort the whole history.
      [deploymentId, EVENTS],
    ),
  ]);
  const names = await namesOf([...new Set(events.map(({ actor }) => actor))]);
  const items = events.map((event) => ({ ...event, ...names.get(event.actor) }));
  return JSON.stringify({ ...deployments[0], items, total: deployments[0]!.last_sequence });
}

/** The names of actors: `user:ID` and `agent:ID`. */
async function namesOf(actors: readonly string[]): Promise<ReadonlyMap<string, object>> {
  const idsOf = (kind: string) =>
    actors.filter((actor) => actor.startsWith(kind)).map((actor) => actor.slice(kind.length));
  const rows = await rowsOf<{ actor: string; actor_name: string | null; actor_email: string | null }>(
    'names',
    `SELECT 'user:' || id AS actor, name AS actor_name, email AS actor_email FROM users WHERE id = ANY ($1::uuid[])
     UNION ALL SELECT 'agent:' || id, name, NULL FROM agents WHERE id = ANY ($2::uuid[])`,
    [idsOf('user:'), idsOf('agent:')],
  );
  return new Map(rows.map(({ actor, ...names }) => [actor, names]));
}
