import type { TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { scansOf, statementsOf } from './harness/statements.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** How many statements a step of a run sends while it holds its connection: counts, because no machine changes them. */

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  agent = await createWorker(app, person);
});

afterAll(() => app.close());

/** The statements of the only transaction of a request; others may be sent meanwhile, on other connections. */
async function transactionOf(request: () => Promise<unknown>): Promise<string[]> {
  const all = await statementsOf(app, request);
  const [begin, ...others] = all.filter(({ text }) => text === 'START TRANSACTION');
  expect(others).toEqual([]);
  const sent = all.filter(({ connection }) => connection === begin!.connection).map(({ text }) => text);
  return sent.slice(sent.indexOf(begin!.text), sent.indexOf('COMMIT') + 1);
}

const withInput = { input: { question: 'How many?' } };

describe('A report', () => {
  it('reads the run that it names, of an agent that has had two thousand', async () => {
    const id = await begun();
    await app.database.query(
      `INSERT INTO runs (id, agent_id, project_id, status, status_source, source, actor, trace_id, ended_at)
       SELECT gen_random_uuid(), $1, $2, 'succeeded', 'agent', 'api', '', number, now() FROM generate_series(1, 2000) AS number`,
      [agent.id, person.id],
    );
    await app.database.query('ANALYZE runs');
    const sent = await statementsOf(app, () => tell(agent, { run_id: id, status: 'succeeded' }));
    const look = sent.find(({ text }) => text.includes('"run"."run_key" = ANY'));
    const scans = await scansOf(app, look!);
    expect(scans.filter(({ table }) => table === 'runs').map(({ rows }) => rows)).toEqual([1]);
  });
});

describe('The transaction of a run', () => {
  it.each([{}, withInput])('sends nine statements to queue it under a key: %j', async (body) => {
    const sent = await transactionOf(async () => {
      const path = `/agents/${agent.id}/runs`;
      const headers = { 'Idempotency-Key': `ask ${JSON.stringify(body)}` };
      expect((await person.api.post(path, body, { headers })).status).toBe(201);
    });
    expect(sent).toHaveLength(9);
  });

  it('sends the same texts for runs that are due at different times, so that each is planned once', async () => {
    const textsFor = (start_after: string) =>
      transactionOf(() => person.api.post(`/agents/${agent.id}/runs`, { start_after }));
    expect(await textsFor('2100-01-01T00:00:00Z')).toEqual(await textsFor('2100-01-02T00:00:00Z'));
  });

  it('sends seven statements to give it to its runtime under a key', async () => {
    const sent = await transactionOf(async () => {
      expect(await claim(agent, { limit: 2 }, { 'Idempotency-Key': 'claim' })).toHaveLength(2);
    });
    expect(sent).toHaveLength(7);
  });

  it('sends five statements to store its progress', async () => {
    const id = await begun();
    const sent = await transactionOf(() =>
      tell(agent, { run_id: id, status: 'running', progress: { percent: 50 } }),
    );
    expect(sent).toHaveLength(5);
  });

  it('sends seven statements to end it, and looks for questions only where it waits', async () => {
    const id = await begun();
    const sent = await transactionOf(() => tell(agent, { run_id: id, status: 'succeeded', output: 1 }));
    expect(sent).toHaveLength(7);
    expect(sent.join('\n')).not.toContain('approvals');
  });

  it('sends seven statements to begin one of the agent itself', async () => {
    const sent = await transactionOf(() => tell(agent, { run_key: 'own', status: 'running' }));
    expect(sent).toHaveLength(7);
  });
});

async function begun(): Promise<string> {
  const { id } = await ask(person, agent, withInput);
  await claim(agent);
  return id;
}
