import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { AgentDetailsRepository } from '../../src/agents/agent-details.repository.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ConcurrentRequests } from '../../src/http/concurrent-requests.js';
import { expectError } from '../harness/error-shape.js';
import { untilSomeoneWaits, whileHeld } from '../harness/held-lock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

const MIB = 1024 * 1024;
const HEAVY = 900_000;

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

afterEach(() => jest.restoreAllMocks());

const createAgents = (count: number) =>
  Promise.all(Array.from({ length: count }, () => createAgent(service, person)));
const start = (agent: TestAgent) =>
  agent.runtime.post('/agents/register', { metadata: { text: 'x'.repeat(HEAVY) } });

/** Starts an agent until the service has accepted it, and obeys Retry-After, like a runtime. */
async function startInTheEnd(agent: TestAgent): Promise<void> {
  for (;;) {
    const { status, headers } = await start(agent);
    if (status === 200) return;
    expect(status).toBe(503);
    await delay(Number(headers.get('retry-after')) * 1_000);
  }
}

describe('Starts of 900 KB at the same moment', () => {
  it('are written in several statements, none of more than 1 MiB, when 30 come', async () => {
    const agents = await createAgents(30);
    const update = jest.spyOn(service.app.get(AgentDetailsRepository), 'update');
    await Promise.all(agents.map(startInTheEnd));
    const statements = update.mock.calls.map(([, starts]) => JSON.stringify(starts).length);
    expect(statements.length).toBeGreaterThanOrEqual(agents.length);
    expect(Math.max(...statements)).toBeLessThan(MIB);
  });

  it('are a 503 with Retry-After when 64 MiB of them wait, and the waiting ones are taken', async () => {
    const agents = await createAgents(90);
    // Agents can't be changed, but be read and locked.
    await whileHeld(service.database, 'LOCK TABLE agents IN SHARE MODE', async (release) => {
      const requests = service.app.get(ConcurrentRequests);
      const replies: ReturnType<typeof start>[] = [];
      const refused: Awaited<ReturnType<typeof start>>[] = [];
      for (const agent of agents) {
        const reply = start(agent);
        void reply.then((answer) => answer.status !== 200 && refused.push(answer));
        replies.push(reply);
        // One after the other, because bodies that arrive concurrently have a separate limit.
        await until(() => requests.takenOf('bulk') + refused.length === replies.length);
        if (replies.length === 1) await untilSomeoneWaits(service.database);
      }
      await until(() => refused.length >= 10);
      await release();
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      for (const reply of refused) {
        expectError(reply, 503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      // At least those whose bytes fit into the queue.
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(50);
    });
  });
});
