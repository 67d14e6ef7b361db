import { randomUUID } from 'node:crypto';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Logs and metrics are in the order of times that agents say, and are paged by the id of the last entry. */

const HOUR_MS = 3_600_000;
/** Hours that entries are older than their arrival: each list has some of now, of yesterday and of last week. */
const HOURS = [0, 0, 0, 30, 30, 30, 30, 170, 170, 170];
const PER_HOUR = 3;
const TOTAL = HOURS.length * PER_HOUR;

let app: TestApp;
let person: Person;
let agent: TestAgent;
let other: TestAgent;
let deployment: string;
const now = Date.now();

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  [agent, other] = [await createAgent(app, person), await createAgent(app, person)];
  deployment = await deploy(person, agent);
  await write(agent);
});

afterAll(() => app.close());

/** Writes entries in no order of times, several of them at the same millisecond. */
async function write(to: TestAgent): Promise<void> {
  for (let part = 0; part < PER_HOUR; part++) {
    const times = HOURS.map((hours, at) => ({
      timestamp: new Date(now - hours * HOUR_MS - (at % 2)).toISOString(),
    }));
    const logs = times.map((time, at) => ({ level: 'info', message: `line ${part}-${at}`, ...time }));
    expect((await to.runtime.post('/agents/logs', { logs })).status).toBe(200);
    const metrics = times.map((time) => ({ cpu_usage: part, ...time }));
    expect((await to.runtime.post('/agents/metrics', { metrics })).status).toBe(200);
  }
}

const idsOf = ({ status, body }: ApiReply<any>): string[] => {
  expect(status).toBe(200);
  return body.map(({ id }: { id: string }) => id);
};

/** Follows each `Link`. @param between is done after the first page */
async function walk(path: string, between = async () => {}): Promise<string[]> {
  const walked: string[] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const reply: ApiReply<any> = await person.api.get(next);
    if (next === path) await between();
    walked.push(...idsOf(reply));
    next = /^<([^>]+)>/.exec(reply.headers.get('link') ?? '')?.[1];
    expect(next ?? 'before=').toContain('before=');
  }
  return walked;
}

describe.each([
  ["an agent's logs", () => `/agents/${agent.id}/logs?`],
  ["an agent's metrics", () => `/agents/${agent.id}/metrics?`],
  ["a deployment's logs", () => `/deployments/${deployment}/logs?`],
  ["a deployment's metrics", () => `/deployments/${deployment}/metrics?`],
  ['the logs of all agents', () => `/logs?agent_id=${agent.id}&`],
  ['a search in the logs of an agent', () => `/agents/${agent.id}/logs?level=info&q=line&`],
  ['a search in the logs of all agents', () => `/logs?level=info&q=line&`],
  [
    'the logs of a range of times',
    () =>
      `/agents/${agent.id}/logs?since=2020-01-01T00:00:00Z&until=${new Date(now + HOUR_MS).toISOString()}&`,
  ],
])('A walk through %s', (_, path) => {
  it('has each entry once, in order, though entries come in meanwhile', async () => {
    const whole = idsOf(await person.api.get(`${path()}limit=500`));
    expect(whole.length).toBeGreaterThanOrEqual(TOTAL);
    const arrivals = () => agent.runtime.post('/agents/logs', { level: 'info', message: 'another line' });
    const more = async () => void (await arrivals());
    expect(await walk(`${path()}limit=4`, more)).toEqual(whole);
  });

  it('counts all entries on each page', async () => {
    const [first] = await walk(`${path()}limit=500`);
    const all = await person.api.get(`${path()}limit=1&include_total=true`);
    const later = await person.api.get(`${path()}limit=1&include_total=true&before=${first}`);
    expect(later.headers.get('x-total-count')).toBe(all.headers.get('x-total-count'));
    expect(idsOf(later)).not.toContain(first);
  });

  it('is refused from an entry that is not there', async () => {
    for (const before of [randomUUID(), 'ffffffff-ffff-7fff-bfff-ffffffffffff'])
      expectError(
        await person.api.get(`${path()}before=${before}`),
        422,
        /^before must be the id of an entry/,
      );
  });
});

describe('A place in the logs', () => {
  it("is refused when it is an entry of another person's agent", async () => {
    const stranger = await registerPerson(app);
    const theirs = await createAgent(app, stranger);
    await write(theirs);
    const [before] = idsOf(await stranger.api.get(`/agents/${theirs.id}/logs`));
    expectError(await person.api.get(`/logs?before=${before}`), 422, /^before must be/);
    expectError(await person.api.get(`/agents/${agent.id}/logs?before=${before}`), 422, /^before must be/);
  });

  it('is refused, and nothing is left out silently, when its agent was removed', async () => {
    await write(other);
    const [before] = idsOf(await person.api.get(`/agents/${other.id}/logs`));
    expect(idsOf(await person.api.get(`/logs?before=${before}`)).length).toBeGreaterThan(0);
    expect((await person.api.delete(`/agents/${other.id}`)).status).toBe(204);
    expectError(await person.api.get(`/logs?before=${before}`), 422, /^before must be/);
  });
});
