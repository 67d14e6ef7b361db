import { Database } from '../src/database/database.js';
import { QuotaSumsService } from '../src/quotas/quota-sums.service.js';
import { RunsRepository } from '../src/runs/runs.repository.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Bytes of the line below, as they count. */
const A_LINE = 250;

let one: TestApp;
let two: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
  const settings = { ...WEBHOOK_SETTINGS, MAX_QUEUED_RUNS_PER_AGENT: '1' };
  one = await startTestApp({ settings });
  two = await startTestApp({ settings, database: one.database });
  operator = await registerOperator(one);
});

beforeEach(async () => {
  person = await registerPerson(one);
});

afterAll(async () => {
  await two.close();
  await one.close();
});

/** Limits of the person's personal project. */
const limitsPath = () => `/projects/${person.id}/limits`;
const limit = (limits: object) => operator.api.patch(limitsPath(), limits);
const limitOf = async (kind: string) =>
  (await person.api.get(limitsPath())).body.limits.find((it: { kind: string }) => it.kind === kind);

const inTwo = () => two.api.as(person.accessToken);
const addUp = (app: TestApp) => app.app.get(QuotaSumsService).round(true);
const addUpBoth = async () => {
  await addUp(one);
  await addUp(two);
};
const sendLine = (app: TestApp, agent: TestAgent) =>
  app.api
    .as(agent.key)
    .post('/agents/logs', { logs: [{ level: 'info', message: 'x'.repeat(A_LINE - 150) }] });

describe('A limit of one project', () => {
  it('on agents and webhooks holds on each instance at once, names the project, and ends with null', async () => {
    const webhook = { url: 'http://127.0.0.1:9/' };
    expect((await limit({ agents: 1, webhooks: 1 })).status).toBe(200);
    expect((await person.api.post('/agents', {})).status).toBe(201);
    expect((await person.api.post('/webhooks', webhook)).status).toBe(201);
    expect(await inTwo().post('/agents', {})).toMatchObject({
      status: 409,
      body: {
        code: 'limit_reached',
        message: `The project ${person.id} can have 1 agents at most: delete one first`,
      },
    });
    expect(await inTwo().post('/webhooks', webhook)).toMatchObject({
      status: 409,
      body: { message: `The project ${person.id} can have 1 webhooks at most: delete one first` },
    });
    expect(await limitOf('agents')).toEqual({ kind: 'agents', limit: 1, own_limit: 1, used: 1 });
    const other = await registerPerson(one);
    expect((await other.api.post('/agents', {})).status).toBe(201);
    await limit({ agents: null });
    expect((await inTwo().post('/agents', {})).status).toBe(201);
    expect(await limitOf('agents')).toEqual({ kind: 'agents', limit: null, own_limit: null, used: 2 });
    expect(await limitOf('webhooks')).toEqual({ kind: 'webhooks', limit: 1, own_limit: 1, used: 1 });
  });

  it('on agents is exact when creations on two instances race', async () => {
    await limit({ agents: 2 });
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) => (index % 2 ? person.api : inTwo()).post('/agents', {})),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  it('on schedules and on the queued runs of each agent holds on each instance at once', async () => {
    const [agent, second] = [await createAgent(one, person), await createAgent(one, person)];
    const askOf = ({ id }: TestAgent) => inTwo().post(`/agents/${id}/runs`, {});
    expect((await askOf(agent)).status).toBe(201);
    expect((await askOf(agent)).body.message).toBe(
      'The agent has 1 queued runs, the maximum: wait until it has taken some, or cancel some',
    );
    await limit({ queued_runs: 2, schedules: 1 });
    for (const each of [agent, second, second]) expect((await askOf(each)).status).toBe(201);
    for (const each of [agent, second])
      expect(await askOf(each)).toMatchObject({
        status: 429,
        body: {
          code: 'run_queue_full',
          message: 'The agent has 2 queued runs, the maximum: wait until it has taken some, or cancel some',
        },
      });
    const scheduled = () => inTwo().post(`/agents/${agent.id}/schedules`, { cron: '0 0 1 1 *' });
    expect((await scheduled()).status).toBe(201);
    expect(await scheduled()).toMatchObject({
      status: 409,
      body: { code: 'limit_reached', message: 'The project has 1 schedules, the maximum: delete one first' },
    });
    expect(await limitOf('schedules')).toEqual({ kind: 'schedules', limit: 1, own_limit: 1, used: 1 });
    expect(await limitOf('queued_runs')).toEqual({
      kind: 'queued_runs',
      limit: 2,
      own_limit: 2,
      used: null,
    });
  });

  it('on queued runs is that of each project where one transaction queues runs for several', async () => {
    const stranger = await registerPerson(one);
    const other = await createAgent(one, stranger);
    const [agent, full] = [await createAgent(one, person), await createAgent(one, person)];
    await limit({ queued_runs: 3 });
    for (let run = 0; run < 3; run++) await person.api.post(`/agents/${full.id}/runs`, {});
    const rooms = await one.app.get(RunsRepository).roomInQueues(
      one.app.get(Database).people.manager,
      [
        { id: agent.id, projectId: person.id },
        { id: full.id, projectId: person.id },
        { id: other.id, projectId: stranger.id },
      ],
      1,
    );
    expect([agent, full, other].map(({ id }) => rooms.get(id))).toEqual([3, 0, 1]);
  });

  it('on bytes a day is refused by each instance after its round, and a higher one lets more in', async () => {
    const agent = await createAgent(one, person);
    await limit({ logs: A_LINE * 2 });
    await addUpBoth();
    expect((await sendLine(one, agent)).status).toBe(200);
    expect((await sendLine(one, agent)).status).toBe(200);
    const refusal = {
      status: 429,
      body: {
        code: 'quota_exceeded',
        message: `The project has used today's quota of 500 bytes of logs (the limit logs of project ${person.id}): try again after midnight UTC`,
      },
    };
    expect(await sendLine(one, agent)).toMatchObject(refusal);
    await addUpBoth();
    expect(await sendLine(two, agent)).toMatchObject(refusal);
    expect(await limitOf('logs')).toMatchObject({ limit: 500, own_limit: 500, used: 500 });
    const quotas = (await person.api.get(`/agents/${agent.id}/quotas`)).body.quotas;
    expect(quotas).toContainEqual({
      kind: 'logs',
      scope: 'project',
      used: 500,
      limit: 500,
      refused_since: expect.any(String),
    });

    await limit({ logs: A_LINE * 3 });
    await addUpBoth();
    expect((await sendLine(two, agent)).status).toBe(200);
    await addUp(two);
    await addUp(one);
    expect((await sendLine(one, agent)).status).toBe(429);
    const told = await person.api.get(`/audit?target_id=${person.id}&action=quota.exceed`);
    expect(told.body.map(({ details }: any) => details.limit)).toEqual([750, 500]);

    await limit({ logs: null });
    await addUpBoth();
    expect((await sendLine(one, agent)).status).toBe(200);
  });

  it.each([
    ['metrics', (agent: TestAgent) => agent.runtime.post('/agents/metrics', { cpu_usage: 1 })],
    ['config_versions', changeConfig],
    ['config_bytes', changeConfig],
  ])('on %s a day is refused with its name', async (kind, use) => {
    const agent = await createAgent(one, person);
    await limit({ [kind]: 1 });
    await addUp(one);
    // The config of a new agent counts, too.
    await use(agent);
    const refused = await use(agent);
    expect(refused.status).toBe(429);
    expect(refused.body.message).toContain(`the limit ${kind} of project ${person.id}`);
  });

  it('is set by operators alone, and members read it, also its former value in the audit log', async () => {
    expect((await person.api.patch(limitsPath(), { agents: 5 })).status).toBe(403);
    await limit({ agents: 5, spans: 1_000 });
    // The same again is no change.
    await limit({ agents: 5 });
    await limit({ agents: null });
    const { body } = await person.api.get(`/audit?target_id=${person.id}&action=project.update`);
    expect(body.map(({ details }: any) => details)).toEqual([
      { limits: { agents: null }, previous_limits: { agents: 5 } },
      { limits: { agents: 5, spans: 1_000 }, previous_limits: { agents: null, spans: null } },
    ]);
    const stranger = await registerPerson(one);
    expect((await stranger.api.get(limitsPath())).status).toBe(404);
    expect((await operator.api.get(limitsPath())).body).toEqual((await person.api.get(limitsPath())).body);
  });

  it('is a whole number from 1 on, of a project that exists', async () => {
    expect((await limit({ agents: 0 })).status).toBe(422);
    expect((await limit({ logs: 1.5 })).status).toBe(422);
    const missing = '/projects/0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11/limits';
    expect((await operator.api.patch(missing, { agents: 1 })).status).toBe(404);
  });
});

let versions = 0;

function changeConfig({ id }: TestAgent) {
  return person.api.patch(`/agents/${id}`, { config: JSON.stringify({ version: ++versions }) });
}
