import type { ApiClient } from '../harness/api-client.js';
import type { TestApp } from '../harness/test-app.js';
import { createAgent, deploy, obey, type TestAgent } from './agents.js';
import type { Person } from './people.js';

/** A run as people see it. */
export interface TestRun {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

/** An agent with an active deployment, so that it takes runs. */
export async function createWorker(
  app: Pick<TestApp, 'api'>,
  person: Person,
  body: object = {},
): Promise<TestAgent & { readonly deploymentId: string }> {
  const agent = await createAgent(app, person, body);
  const deploymentId = await deploy(person, agent);
  await obey(agent);
  return { ...agent, deploymentId };
}

/** Asks an agent for a run. */
export async function ask(person: Person, { id }: TestAgent, body: object = {}): Promise<TestRun> {
  const reply = await person.api.post(`/agents/${id}/runs`, body);
  if (reply.status !== 201)
    throw new Error(`The run answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Takes runs as the agent's runtime does. */
export async function claim(
  { runtime }: { readonly runtime: ApiClient },
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestRun[]> {
  const reply = await runtime.post('/agents/runs/claim', body, { headers });
  if (reply.status !== 200)
    throw new Error(`The claim answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.runs;
}

/** Reports on one run. @returns the reply to the entry */
export async function tell(
  { runtime }: { readonly runtime: ApiClient },
  entry: object,
): Promise<{ readonly run_id: string; readonly status: string; readonly cancel_requested: boolean }> {
  const reply = await runtime.post('/agents/runs', { runs: [entry] });
  if (reply.status !== 200)
    throw new Error(`The report answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body.runs[0];
}

/** The run as it is stored now. */
export async function readRun(person: Person, id: string): Promise<TestRun> {
  const reply = await person.api.get(`/runs/${id}`);
  if (reply.status !== 200)
    throw new Error(`The run answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** The types of a run's events, oldest first. */
export async function eventsOf(person: Person, id: string): Promise<string[]> {
  const reply = await person.api.get(`/runs/${id}/events?limit=500`);
  return (reply.body as { event_type: string }[]).map((event) => event.event_type).reverse();
}
