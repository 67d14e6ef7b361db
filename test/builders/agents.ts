import { insertSearched } from '../../src/agents/agent-copies.repository.js';
import type { ApiClient } from '../harness/api-client.js';
import type { TestApp } from '../harness/test-app.js';
import type { TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';
import type { Person } from './people.js';

/** An agent, with a client for its runtime. */
export interface TestAgent {
  readonly id: string;
  readonly key: string;
  /** A client with the agent's key. */
  readonly runtime: ApiClient;
}

export async function createAgent(
  app: Pick<TestApp, 'api'>,
  person: Person,
  body: object = {},
): Promise<TestAgent> {
  // A busy machine refuses some with 503, and they come again.
  const reply = await until(async () => {
    const answer = await person.api.post('/agents', body);
    return answer.status !== 503 && answer;
  });
  if (reply.status !== 201)
    throw new Error(`Creation answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return { id: reply.body.id, key: reply.body.api_key, runtime: app.api.as(reply.body.api_key) };
}

/** Agents of the type `scraper`, named `crawler-1` and so on, that never connected. */
export async function insertAgents(
  database: Pick<TestDatabase, 'query'>,
  email: string,
  count: number,
): Promise<void> {
  await database.query(
    `WITH owner AS (SELECT id FROM users WHERE email = $1), agent AS (
       INSERT INTO agents (id, user_id, name, type, status, hostname)
       SELECT gen_random_uuid(), owner.id, 'crawler-' || number, 'scraper', 'creating', 'node-' || number % 7
       FROM owner, generate_series(1, $2::int) AS number RETURNING *
     ), version AS (
       INSERT INTO agent_configs (agent_id, config_version, config, actor)
       SELECT id, 1, '{}', 'user:' || user_id FROM agent
     ), search AS (${insertSearched('agent')})
     INSERT INTO agent_presence (agent_id, user_id, assigned_interval_seconds) SELECT id, user_id, 30 FROM agent`,
    [email, count],
  );
}

/** Marks an agent as being removed, as the beginning of its removal does; what belongs to it stays. */
export async function beginRemoval(database: Pick<TestDatabase, 'query'>, agentId: string): Promise<void> {
  await database.query(
    `WITH removed AS (UPDATE agents SET status = 'deleting' WHERE id = $1 RETURNING id), search AS (
       DELETE FROM agent_search WHERE agent_id IN (SELECT id FROM removed)
     )
     DELETE FROM agent_presence WHERE agent_id IN (SELECT id FROM removed)`,
    [agentId],
  );
}

/** A new deployment of the agent, in `deploying`. */
export async function deploy(person: Person, agent: TestAgent): Promise<string> {
  const reply = await person.api.post(`/agents/${agent.id}/deploy`);
  if (reply.status !== 200) throw new Error(`Deploy answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.id;
}

/** Polls all due commands and acknowledges each with success. */
export async function obey(agent: TestAgent): Promise<string[]> {
  const actions: string[] = [];
  for (;;) {
    const commands = await poll(agent);
    if (commands.length === 0) return actions;
    for (const { command_id: id, action } of commands) {
      const reply = await acknowledge(agent, id);
      if (reply.status !== 200)
        throw new Error(`Acknowledgement answered ${reply.status}: ${JSON.stringify(reply.body)}`);
      actions.push(action);
    }
  }
}

/** A deployment's events, newest first, in the form that the feed and webhooks have: without the names of the actors. */
export async function historyOf(person: Person, deploymentId: string): Promise<any[]> {
  const { body } = await person.api.get(`/deployments/${deploymentId}/events`);
  return body.items.map(({ actor_name: _, actor_email: __, ...event }: any) => event);
}

/** Reports the state of a deployment in a heartbeat. */
export async function report(agent: TestAgent, deploymentId: string, state: object): Promise<void> {
  const reply = await agent.runtime.post('/agents/heartbeat', {
    deployments: [{ deployment_id: deploymentId, ...state }],
  });
  if (reply.status !== 200)
    throw new Error(`Heartbeat answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}

/** A command as the runtime receives it. */
export interface TestCommand {
  readonly command_id: string;
  readonly action: string;
  readonly deployment_id: string;
  readonly parameters: Record<string, unknown>;
  readonly attempt: number;
  readonly received_at: string;
  readonly expires_at: string;
}

/** Polls due commands without acknowledging them. */
export async function poll(agent: TestAgent, query = ''): Promise<TestCommand[]> {
  const reply = await agent.runtime.get(`/agents/commands${query}`);
  if (reply.status !== 200) throw new Error(`Poll answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.commands;
}

export function acknowledge(agent: TestAgent, commandId: string, reply: object = { success: true }) {
  return agent.runtime.post('/agents/commands/acknowledge', { command_id: commandId, ...reply });
}
