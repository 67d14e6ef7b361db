import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { QuotaSumsService } from '../src/quotas/quota-sums.service.js';
import { createAgent, deploy, obey, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { exportSpans, llmSpan } from './builders/traces.js';
import type { ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** Bytes of the line below, as they count. */
const A_LINE = 250;
const LINES_A_DAY = 40;
const settings = {
  MAX_LOG_BYTES_PER_AGENT: String(A_LINE * LINES_A_DAY),
  MAX_LOG_BYTES_PER_PROJECT: String(A_LINE * LINES_A_DAY * 2),
  MAX_METRIC_BYTES_PER_AGENT: '1500',
  MAX_SPAN_BYTES_PER_AGENT: '2000',
};

let one: TestApp;
let two: TestApp;
let operator: Person;
let person: Person;

beforeAll(async () => {
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

const line = { level: 'info', message: 'x'.repeat(100) };

const sendLines = (app: TestApp, agent: TestAgent, count = 1): Promise<ApiReply<any>> =>
  app.api.as(agent.key).post('/agents/logs', { logs: Array.from({ length: count }, () => line) });

const addUp = (app: TestApp) => app.app.get(QuotaSumsService).round(true);

const quotasOf = async ({ id }: TestAgent): Promise<any[]> =>
  (await person.api.get(`/agents/${id}/quotas`)).body.quotas;

const quotaOf = async (agent: TestAgent, kind: string, scope = 'agent') =>
  (await quotasOf(agent)).find((it) => it.kind === kind && it.scope === scope);

/** How often the audit log reports that this agent, or this project, has used a limit up. */
async function timesTold(id: string): Promise<number> {
  const { body } = await person.api.get(`/audit?target_id=${id}&limit=100`);
  return body.filter((entry: { action: string }) => entry.action === 'quota.exceed').length;
}

describe('A limit by the day', () => {
  it('refuses later entries with a 429 that names the limit and leads to the next day', async () => {
    const agent = await createAgent(one, person);
    expect((await sendLines(one, agent, LINES_A_DAY)).status).toBe(200);
    const refused = await sendLines(one, agent);
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'quota_exceeded',
        message:
          "The agent has used today's quota of 10000 bytes of logs (MAX_LOG_BYTES_PER_AGENT): try again after midnight UTC",
      },
    });
    const [day] = await one.database.query<{ left: number }>(
      `SELECT extract(epoch FROM date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day' - now() AT TIME ZONE 'UTC')::float8 AS left`,
    );
    const waits = Number(refused.headers.get('retry-after'));
    expect(waits).toBeGreaterThanOrEqual(day!.left - 5);
    expect(waits).toBeLessThanOrEqual(day!.left + 65);
  });

  it('holds over two instances, and after a restart', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY - 1);
    await addUp(one);
    expect((await sendLines(two, agent)).status).toBe(200);
    await addUp(two);
    expect((await sendLines(two, agent)).status).toBe(429);
    await addUp(one);
    expect((await sendLines(one, agent)).status).toBe(429);
    const three = await startTestApp({ settings, database: one.database });
    await until(async () => (await sendLines(three, agent)).status === 429);
    await three.close();
  });

  it('counts accepted bytes at the end of an instance', async () => {
    const agent = await createAgent(one, person);
    const three = await startTestApp({
      settings: { ...settings, MAX_LOG_BYTES_PER_AGENT: '10000000' },
      database: one.database,
    });
    await sendLines(three, agent, 3);
    await three.close();
    expect(await quotaOf(agent, 'logs')).toMatchObject({ used: 3 * A_LINE, refused_since: null });
  });

  it('is passed by one request at most when 200 come at once', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY - 10);
    const replies = await Promise.all(Array.from({ length: 200 }, () => sendLines(one, agent)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(190);
  });

  it('is reported once a day, by the audit log and to webhooks, by any instances', async () => {
    const agent = await createAgent(one, person, { name: 'chatterbox' });
    await person.api.post('/webhooks', { url: 'https://example.com/hook', events: ['quota.*'] });
    await sendLines(one, agent, LINES_A_DAY);
    await sendLines(two, agent, LINES_A_DAY);
    await Promise.all([addUp(one), addUp(two)]);
    await Promise.all([addUp(one), addUp(two)]);
    expect(await timesTold(agent.id)).toBe(1);
    const messages = await one.database.query<{ payload: string }>(
      `SELECT payload FROM webhook_deliveries WHERE event = 'quota.exceeded' AND payload LIKE $1`,
      [`%${agent.id}%`],
    );
    expect(messages).toHaveLength(1);
    expect(JSON.parse(messages[0]!.payload).data.quota).toMatchObject({
      kind: 'logs',
      scope: 'agent',
      agent_name: 'chatterbox',
      limit: 10_000,
    });
  });

  it('of a project holds for all of its agents together', async () => {
    const agents = await Promise.all([1, 2, 3].map(() => createAgent(one, person)));
    await sendLines(one, agents[0]!, LINES_A_DAY);
    await sendLines(one, agents[1]!, LINES_A_DAY);
    const refused = await sendLines(one, agents[2]!);
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } });
    expect(refused.body.message).toContain("The project has used today's quota of 20000 bytes of logs");
    await addUp(one);
    expect(await timesTold(person.id)).toBe(1);
    expect(await quotaOf(agents[2]!, 'logs', 'project')).toMatchObject({ used: 20_000, limit: 20_000 });
  });

  it('does not count entries from before, nor rejected ones', async () => {
    const agent = await createAgent(one, person);
    const send = () =>
      agent.runtime.post(
        '/agents/logs',
        { logs: [line] },
        { headers: { 'Idempotency-Key': 'the-same-key' } },
      );
    for (let times = 0; times < 5; times++) expect((await send()).status).toBe(200);
    const stray = { ...line, deployment_id: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' };
    expect((await agent.runtime.post('/agents/logs', stray)).status).toBe(422);
    await addUp(one);
    expect((await quotaOf(agent, 'logs')).used).toBe(A_LINE + 100);
  });

  it('holds for measurements and spans, each for itself', async () => {
    const agent = await createAgent(one, person);
    const measure = () => agent.runtime.post('/agents/metrics', { cpu_usage: 1 });
    const report = () =>
      person.api.post('/webhooks/metrics', { agent_id: agent.id, cpu_usage: 1, memory_usage: 2 });
    for (let times = 0; times < 5; times++) {
      expect((await measure()).status).toBe(200);
      expect((await report()).status).toBe(200);
    }
    expect((await measure()).body.code).toBe('quota_exceeded');
    expect((await report()).body.code).toBe('quota_exceeded');
    await exportSpans(
      agent,
      Array.from({ length: 10 }, () => llmSpan({})),
    );
    const spans = await agent.runtime.post('/otlp/v1/traces', { resourceSpans: [] });
    expect(spans.status).toBe(429);
    expect((await sendLines(one, agent)).status).toBe(200);
  });

  it('never refuses heartbeats, commands and reports of an agent', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY);
    expect((await sendLines(one, agent)).status).toBe(429);
    const deploymentId = await deploy(person, agent);
    expect(await obey(agent)).toEqual(['deploy']);
    const beat = {
      deployments: [{ deployment_id: deploymentId, status: 'failed', error_message: 'its last words' }],
    };
    expect((await agent.runtime.post('/agents/heartbeat', beat)).status).toBe(200);
    const { body } = await person.api.get(`/deployments/${deploymentId}`);
    expect(body.error_message).toContain('its last words');
  });

  it('is shown with the time since when more is refused', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY);
    await addUp(one);
    expect(await quotaOf(agent, 'logs')).toEqual({
      kind: 'logs',
      scope: 'agent',
      used: 10_000,
      limit: 10_000,
      refused_since: expect.stringMatching(/^\d{4}-/),
    });
    const stranger = await registerPerson(one);
    expect((await stranger.api.get(`/agents/${agent.id}/quotas`)).status).toBe(404);
  });

  it('begins again with the day of the database, and old days are deleted', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY);
    await addUp(one);
    await one.database.query('UPDATE quota_uses SET day = day - 3 WHERE subject_id = $1', [agent.id]);
    const three = await startTestApp({ settings, database: one.database });
    expect((await sendLines(three, agent)).status).toBe(200);
    await three.close();
    await until(() => one.app.get(PeriodicJobs).runOnce('quotaRetention'));
    const left = await one.database.query('SELECT day FROM quota_uses WHERE subject_id = $1', [agent.id]);
    expect(left).toHaveLength(1);
  });

  it('is counted in the metrics', async () => {
    const agent = await createAgent(one, person);
    await sendLines(one, agent, LINES_A_DAY);
    await sendLines(one, agent);
    const { body } = await operator.api.get<string>('/metrics');
    expect(body).toMatch(/control_plane_quota_refusals_total\{kind="logs",scope="agent",limit="day"\} [1-9]/);
  });
});

describe('A limit by the minute', () => {
  it('refuses further entries for seconds, and is off at 0', async () => {
    const agent = await createAgent(one, person);
    const narrow = await startTestApp({
      settings: { MAX_TELEMETRY_RATE_PER_AGENT: '1000', MAX_TELEMETRY_RATE_PER_PROJECT: '0' },
      database: one.database,
    });
    for (let times = 0; times < 4; times++) expect((await sendLines(narrow, agent)).status).toBe(200);
    const refused = await sendLines(narrow, agent);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.body.message).toContain('1000 bytes of logs, metrics and spans in this minute');
    const waits = Number(refused.headers.get('retry-after'));
    expect(waits).toBeGreaterThanOrEqual(1);
    expect(waits).toBeLessThanOrEqual(60);
    await narrow.close();
  });
});
