import type { ApiReply } from '../harness/api-client.js';
import { report, type TestAgent } from './agents.js';
import type { Person } from './people.js';

/** A pause as people see it. */
export interface TestPause {
  readonly id: string;
  readonly agents: number;
  readonly holding: number;
  readonly confirmed: number;
  readonly ended_at: string | null;
  readonly [field: string]: unknown;
}

/** Pauses one agent. */
export async function pause(
  person: Person,
  { id }: { readonly id: string },
  body: object = {},
): Promise<TestPause> {
  return bodyOf(await person.api.post(`/agents/${id}/pause`, body), 200);
}

/** Ends what people paused of one agent. */
export async function resume(person: Person, { id }: { readonly id: string }): Promise<void> {
  bodyOf(await person.api.post(`/agents/${id}/resume`), 200);
}

/** Pauses all agents of a project that match. */
export async function pauseAll(person: Person, body: object): Promise<TestPause> {
  return bodyOf(await person.api.post('/pauses', { reason: 'a test', ...body }), 201);
}

export async function endPause(person: Person, { id }: TestPause): Promise<void> {
  bodyOf(await person.api.delete(`/pauses/${id}`), 204);
}

/** An agent as people see it. */
export async function readAgent(person: Person, { id }: { readonly id: string }): Promise<any> {
  return bodyOf(await person.api.get(`/agents/${id}`), 200);
}

export async function readDeployment(person: Person, id: string): Promise<any> {
  return bodyOf(await person.api.get(`/deployments/${id}`), 200);
}

/** The types of a deployment's events, oldest first. */
export async function stepsOf(person: Person, deploymentId: string): Promise<string[]> {
  const { items } = bodyOf(await person.api.get(`/deployments/${deploymentId}/events?limit=500`), 200);
  return items.map(({ event_type: type }: { event_type: string }) => type).reverse();
}

/** Reports all of a number of replicas as ready. */
export function reportReady(agent: TestAgent, deploymentId: string, replicas: number, generation: number) {
  return report(agent, deploymentId, {
    status: 'ready',
    ready_replicas: replicas,
    observed_generation: generation,
  });
}

function bodyOf({ status, body }: ApiReply<any>, expected: number): any {
  if (status !== expected) throw new Error(`The reply was ${status}: ${JSON.stringify(body)}`);
  return body;
}
