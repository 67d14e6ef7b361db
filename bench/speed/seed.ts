import { createHash, randomUUID } from 'node:crypto';
import bcrypt from 'bcrypt';
import { insertSearched } from '../../src/agents/agent-copies.repository.js';
import { AgentConfigCipher } from '../../src/agents/agent-config-cipher.js';
import { keyIdOf } from '../../src/secrets/stored-text-cipher.js';
import { generateKey, visiblePrefix } from '../../src/api-keys/api-key-format.js';
import { type BenchDatabase, vacuumFilled } from '../fleet/bench-database.js';
import { createLogPartitions, PAST_DAYS } from '../growth/log-partitions.js';

/** Number of rows before the first measurement. */
export interface SeedSizes {
  readonly agents: number;
  readonly events: number;
  readonly logs: number;
  /** Accounts among which the agents are spread; ten when absent. */
  readonly users?: number;
  /** bcrypt cost of everybody's password. */
  readonly bcryptCost: number;
}

/** Agents with a key, that are online. They are the first agent owner's. */
const KEYED_AGENTS = 500;
const USERS = 10;
const DEPLOYMENTS_OF_KEYED = 10;
const LONG_HISTORY = 10_001;
/** Configs that are sealed and inserted in one statement. */
const AT_ONCE = 10_000;
export const PASSWORD = 'Correct-horse-7';
export const WEBHOOK_SECRET_KEY = 'a key of the bench, and of nobody else';

export interface KeyedAgent {
  readonly id: string;
  readonly key: string;
}

export interface Seed {
  /** The owner of all agents that have keys, and of a tenth of all agents. */
  readonly userId: string;
  readonly email: string;
  readonly passwordHash: string;
  /** Each with ten deployments, of which the latest is active. */
  readonly agents: readonly KeyedAgent[];
  /** A deployment with a history of some 10,000 events. */
  readonly longDeploymentId: string;
}

/** Fills a migrated database, in a form that the service itself could have written. */
export async function seed(database: BenchDatabase, sizes: SeedSizes): Promise<Seed> {
  await createLogPartitions(database);
  await seedUsers(database, sizes.bcryptCost);
  await seedAgents(database, sizes);
  const agents = await seedKeys(database, 0, KEYED_AGENTS);
  await seedDeployments(database, sizes);
  const longDeploymentId = await lengthenHistory(database, agents[0]!.id);
  await seedEvents(database);
  await seedRuns(database, sizes);
  await seedLogs(database, sizes.logs);
  await vacuumFilled(database);
  const [user] = await database.query<{ id: string; email: string; password_hash: string }>(
    'SELECT id, email, password_hash FROM bench_users JOIN users USING (id) WHERE number = 0',
  );
  return {
    userId: user!.id,
    email: user!.email,
    passwordHash: user!.password_hash,
    agents,
    longDeploymentId,
  };
}

async function seedUsers(database: BenchDatabase, bcryptCost: number): Promise<void> {
  await database.query(
    `CREATE TABLE bench_users AS SELECT number, uuidv7() AS id FROM generate_series(0, ${USERS - 1}) AS number`,
  );
  await database.query(
    `INSERT INTO users (id, email, password_hash) SELECT id, 'person-' || number || '@example.com', $1 FROM bench_users`,
    [await bcrypt.hash(PASSWORD, bcryptCost)],
  );
  await database.query(
    `INSERT INTO projects (id, name, is_personal, created_by) SELECT id, 'Personal', true, id FROM bench_users`,
  );
  await database.query(
    `INSERT INTO project_members (user_id, project_id, source, role) SELECT id, id, 'direct', 'owner' FROM bench_users`,
  );
}

/** The table `bench_agents` numbers them; the first ones get keys. */
async function seedAgents(database: BenchDatabase, { agents, users = USERS }: SeedSizes): Promise<void> {
  await database.query(`
    CREATE TABLE bench_agents AS
    SELECT number, uuidv7(make_interval(secs => number - ${agents})) AS id,
      CASE WHEN number < ${KEYED_AGENTS} THEN 0 ELSE number % ${users} END AS owner
    FROM generate_series(0, ${agents - 1}) AS number`);
  await database.query(`
    INSERT INTO agents (id, user_id, name, description, type, status, version, hostname, platform)
    SELECT agent.id, owner.id, 'agent-' || agent.number, 'Reads a mailbox and answers what it can', 'worker',
      'running', '1.4.2',
      'worker-' || agent.number % 100, 'linux/x64'
    FROM bench_agents AS agent JOIN bench_users AS owner ON owner.number = agent.owner`);
  await database.query(insertSearched('agents'));
  await seedConfigs(database);
  await database.query(`
    INSERT INTO agent_presence (agent_id, user_id, last_seen_at, last_heartbeat_at, online_since,
      online_until, losses, losses_since, assigned_interval_seconds)
    SELECT agent.id, owner.id, now(), now(), CASE WHEN agent.number < ${KEYED_AGENTS} THEN now() END, now(),
      is_lost::int, CASE WHEN is_lost THEN now() END, 30
    FROM bench_agents AS agent JOIN bench_users AS owner ON owner.number = agent.owner
    CROSS JOIN LATERAL (SELECT agent.number >= ${KEYED_AGENTS} AS is_lost) AS loss`);
}

/** Configs are sealed, as in production. Otherwise each service would seal them while it is measured. */
async function seedConfigs(database: BenchDatabase): Promise<void> {
  const keyId = keyIdOf(WEBHOOK_SECRET_KEY);
  await database.query('INSERT INTO sealing_keys (id, is_in_use) VALUES ($1, true)', [keyId]);
  const cipher = new AgentConfigCipher(
    { WEBHOOK_SECRET_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: '' },
    { inUse: () => Promise.resolve(keyId) },
  );
  const config = '{"command": ["node", "agent.js"], "env": {"REGION": "eu-west-1"}}';
  const agents = await database.query<{ id: string }>('SELECT id FROM bench_agents');
  for (let first = 0; first < agents.length; first += AT_ONCE) {
    const ids = agents.slice(first, first + AT_ONCE).map(({ id }) => id);
    await database.query(
      `INSERT INTO agent_configs (agent_id, config_version, config, actor)
       SELECT agents.id, 1, sealed.config, 'user:' || agents.user_id
       FROM unnest($1::uuid[], $2::text[]) AS sealed (agent_id, config) JOIN agents ON agents.id = sealed.agent_id`,
      [ids, await Promise.all(ids.map((agentId) => cipher.seal({ agentId, configVersion: 1 }, config)))],
    );
  }
}

/** Gives keys to so many agents, from the one of this number on. */
export async function seedKeys(database: BenchDatabase, first: number, count: number): Promise<KeyedAgent[]> {
  const agents = await database.query<{ id: string }>(
    'SELECT id FROM bench_agents WHERE number >= $1 AND number < $1 + $2 ORDER BY number',
    [first, count],
  );
  const keyed = agents.map(({ id }) => {
    const keyId = randomUUID();
    return { id, keyId, ...generateKey('agent', keyId) };
  });
  await database.query(
    `INSERT INTO api_keys (id, user_id, agent_id, name, key_prefix, secret_hash)
     SELECT key.id, agents.user_id, agents.id, 'runtime', key.prefix, key.hash
     FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) AS key (id, agent_id, prefix, hash)
     JOIN agents ON agents.id = key.agent_id`,
    [
      keyed.map(({ keyId }) => keyId),
      keyed.map(({ id }) => id),
      keyed.map(({ keyId }) => visiblePrefix('agent', keyId)),
      keyed.map(({ secret }) => createHash('sha256').update(secret).digest()),
    ],
  );
  return keyed.map(({ id, key }) => ({ id, key }));
}

/** A keyed agent has ten, of which the latest is ready; any other has one that was stopped. */
async function seedDeployments(database: BenchDatabase, { agents, events }: SeedSizes): Promise<void> {
  const deployments = agents + KEYED_AGENTS * (DEPLOYMENTS_OF_KEYED - 1);
  const length = Math.max(2, 2 * Math.round(events / deployments / 2));
  await database.query(`
    INSERT INTO deployments (id, agent_id, user_id, status, status_source, replicas, ready_replicas, generation,
      start_generation, observed_generation, last_sequence, node_id, ended_at)
    SELECT uuidv7(make_interval(days => nth - ${DEPLOYMENTS_OF_KEYED})), agent.id, owner.id,
      CASE WHEN is_active THEN 'ready' ELSE 'stopped' END, CASE WHEN is_active THEN 'agent' ELSE 'user' END,
      2, CASE WHEN is_active THEN 2 ELSE 0 END, 1, 1, 1, ${length} + is_active::int, 'worker-' || agent.number % 100,
      CASE WHEN is_active THEN NULL ELSE now() END
    FROM bench_agents AS agent
    JOIN bench_users AS owner ON owner.number = agent.owner
    CROSS JOIN LATERAL generate_series(
      1, CASE WHEN agent.number < ${KEYED_AGENTS} THEN ${DEPLOYMENTS_OF_KEYED} ELSE 1 END) AS nth
    CROSS JOIN LATERAL (
      SELECT agent.number < ${KEYED_AGENTS} AND nth = ${DEPLOYMENTS_OF_KEYED} AS is_active) AS state`);
}

async function lengthenHistory(database: BenchDatabase, agentId: string): Promise<string> {
  const [deployment] = await database.query<{ id: string }>(
    `UPDATE deployments SET last_sequence = ${LONG_HISTORY} WHERE agent_id = $1 AND status = 'ready' RETURNING id`,
    [agentId],
  );
  return deployment!.id;
}

/** From `deploy` on it is running and ready in turn, at last ready or stopped. */
async function seedEvents(database: BenchDatabase): Promise<void> {
  await database.query(`
    INSERT INTO deployment_events (id, user_id, user_sequence, agent_id, deployment_id, sequence, event_type, status,
      previous_status, replicas, actor, node_id, created_at)
    SELECT uuidv7(), user_id, row_number() OVER (PARTITION BY user_id ORDER BY id, sequence), agent_id, id, sequence,
      CASE WHEN sequence = 1 THEN 'deploy' WHEN is_stop THEN 'stop' WHEN sequence = 2 THEN 'running'
        WHEN sequence % 2 = 0 THEN 'degraded' ELSE 'ready' END,
      CASE WHEN sequence = 1 THEN 'deploying' WHEN is_stop THEN 'stopped' WHEN sequence % 2 = 0 THEN 'running'
        ELSE 'ready' END,
      CASE WHEN sequence = 1 THEN NULL WHEN sequence = 2 THEN 'deploying' WHEN sequence % 2 = 0 THEN 'ready'
        ELSE 'running' END,
      replicas, CASE WHEN sequence = 1 OR is_stop THEN 'user:' || user_id ELSE 'agent:' || agent_id END, node_id,
      now() - make_interval(mins => last_sequence - sequence)
    FROM deployments
    CROSS JOIN LATERAL generate_series(1, last_sequence) AS sequence
    CROSS JOIN LATERAL (SELECT status = 'stopped' AND sequence = last_sequence AS is_stop) AS step`);
  await database.query(`
    INSERT INTO user_event_counters (user_id, last_sequence)
    SELECT user_id, max(user_sequence) FROM deployment_events GROUP BY user_id`);
}

/** As many runs as events, each ended; one in fifty has failed. Agents with keys have their share. */
async function seedRuns(database: BenchDatabase, { agents, events }: SeedSizes): Promise<void> {
  await database.query(`
    INSERT INTO runs (id, agent_id, project_id, status, status_source, source, actor, input, output, error, name, attempt,
      trace_id, queued_at, started_at, ended_at)
    SELECT uuidv7(make_interval(secs => run - ${events})), agent.id, owner.id,
      CASE WHEN is_failed THEN 'failed' ELSE 'succeeded' END, 'agent', 'api', 'user:' || owner.id,
      '{"question": "How many invoices are open?"}', '{"answer": 42}', CASE WHEN is_failed THEN 'exit code 1' END,
      'question', 1, md5(run::text), at, at, at + interval '3 seconds'
    FROM generate_series(0, ${events - 1}) AS run
    JOIN bench_agents AS agent ON agent.number = run % ${agents}
    JOIN bench_users AS owner ON owner.number = agent.owner
    CROSS JOIN LATERAL (SELECT run % 50 = 0 AS is_failed, now() - make_interval(secs => ${events} - run) AS at) AS facts`);
  await database.query(`
    INSERT INTO run_events (run_id, id, sequence, event_type, status, attempt, actor)
    SELECT id, uuidv7(), 1, 'queued', 'queued', 0, actor FROM runs`);
}

/** Rows of the agents that have keys, evenly over the last days. */
async function seedLogs(database: BenchDatabase, logs: number): Promise<void> {
  await database.query(`
    INSERT INTO agent_logs (agent_id, "timestamp", id, deployment_id, level, message)
    SELECT agent.id, now() - make_interval(secs => line / ${logs}.0 * ${(PAST_DAYS - 1) * 86_400}), uuidv7(),
      deployment.id, 'info', 'line ' || line || ' of a log that says about as much as such lines do'
    FROM generate_series(0, ${logs - 1}) AS line
    JOIN bench_agents AS agent ON agent.number = line % ${KEYED_AGENTS}
    JOIN deployments AS deployment ON deployment.agent_id = agent.id AND deployment.status = 'ready'`);
  await database.query('INSERT INTO agent_log_positions SELECT DISTINCT agent_id, 0 FROM agent_logs');
}
