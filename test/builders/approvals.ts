import { PeriodicJobs } from '../../src/database/periodic-jobs.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import type { TestAgent } from './agents.js';
import type { Person } from './people.js';
import { ask as askRun, claim, createWorker } from './runs.js';

/** An approval as agents and people see it. */
export interface TestApproval {
  readonly id: string;
  readonly state: string;
  readonly args_sha256: string;
  readonly [field: string]: any;
}

interface Asking {
  readonly runtime: ApiClient;
}

let asked = 0;

/** A question as an agent sends it. */
export const question = (body: object = {}) => ({
  approval_key: `call ${++asked}`,
  title: 'Pay invoice 4711',
  action: { name: 'send_payment', args: { to: 'DE02', euros: 120 } },
  allowed_decisions: ['approve', 'edit', 'reject', 'respond'],
  ...body,
});

/** Asks people, as the agent's runtime does. */
export async function askApproval({ runtime }: Asking, body: object = {}): Promise<TestApproval> {
  return bodyOf(await runtime.post('/agents/approvals', question(body)), 201);
}

/** Stores copies of a question, each with a number in its title, past the limit of one agent. */
export async function copyApproval(
  { database }: Pick<TestApp, 'database'>,
  { id }: TestApproval,
  count: number,
): Promise<void> {
  const copied = 'action_name, args, args_sha256, risk, allowed_decisions, expires_at';
  await database.query(
    `INSERT INTO approvals (id, project_id, agent_id, approval_key, title, ${copied})
     SELECT gen_random_uuid(), project_id, agent_id, n::text, title || ' ' || n, ${copied}
     FROM approvals, generate_series(1, $2::int) AS n WHERE id = $1`,
    [id, count],
  );
}

/** Fetches the answer. @param wait seconds */
export async function fetchAnswer({ runtime }: Asking, id: string, wait = 0): Promise<TestApproval> {
  return bodyOf(await runtime.get(`/agents/approvals/${id}?wait=${wait}`), 200);
}

/** Decides with the arguments as they are. */
export function decide(
  { api }: Pick<Person, 'api'>,
  { id, args_sha256 }: TestApproval,
  body: object = {},
): Promise<ApiReply<any>> {
  return api.post(`/approvals/${id}/decide`, { decision: 'approve', args_sha256, ...body });
}

export async function decided(
  person: Pick<Person, 'api'>,
  approval: TestApproval,
  body: object = {},
): Promise<TestApproval> {
  return bodyOf(await decide(person, approval, body), 200);
}

/** A working agent, and a run that it has. */
export async function workingOn(app: Pick<TestApp, 'api'>, person: Person, body: object = {}) {
  const worker = await createWorker(app, person, body);
  const { id: runId } = await askRun(person, worker);
  await claim(worker);
  return { worker, runId };
}

/** Asks twice for a run: one question is answered, and nobody answers the other in time. */
export async function askAboutEverything(app: TestApp, person: Person, agent: TestAgent, args: unknown) {
  await askRun(person, agent);
  const [run] = await claim(agent);
  const body = { run_id: run!.run_id, action: { name: 'pay', args } };
  await decided(person, await askApproval(agent, body), { decision: 'reject' });
  const late = await askApproval(agent, body);
  await app.database.query('UPDATE approvals SET expires_at = now() WHERE id = $1', [late.id]);
  await until(() => app.app.get(PeriodicJobs).runOnce('approvals'));
}

export function bodyOf({ status, body }: ApiReply<any>, expected: number): any {
  if (status !== expected) throw new Error(`The reply was ${status}: ${JSON.stringify(body)}`);
  return body;
}
