import { randomInt } from 'node:crypto';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { createProject } from './builders/projects.js';
import { createWorker } from './builders/runs.js';
import { exportSpans, llmSpan, newTraceId, toolSpan } from './builders/traces.js';
import { storeUsage, type UsedHour } from './builders/usage.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
});

beforeEach(async () => {
  person = await registerPerson(app);
  agent = await createAgent(app, person, { name: 'reader' });
});

afterAll(() => app.close());

const used = (at: string, rest: Partial<UsedHour> = {}): UsedHour => ({
  project_id: person.id,
  agent_id: agent.id,
  at,
  llm_calls: 1,
  ...rest,
});
const read = async (query = '', who = person) => who.api.get(`/usage?${query}`);
async function rowsOf(query: string): Promise<any[]> {
  const { status, body } = await read(query);
  expect([query, status]).toEqual([query, 200]);
  return body.rows;
}

const HOUR_MS = 3_600_000;
const RANDOM_DAYS = 40;
type Used = UsedHour & Required<Pick<UsedHour, 'llm_calls' | 'cost_micros' | 'model' | 'config_version'>>;

const oneOf = <T>(values: readonly T[]): T => values[randomInt(values.length)]!;
const KEY_OF: Readonly<Record<string, (used: Used) => string>> = {
  agent: ({ agent_id }) => agent_id,
  config_version: ({ agent_id, config_version }) => `${agent_id} ${config_version}`,
  model: ({ model }) => model,
  project: ({ project_id }) => project_id,
  day: ({ at }) => at.slice(0, 10),
};

/** The rows of a report by key, summed up one by one, in the documented order. */
function plainSums(hours: readonly Used[], keyOf: (used: Used) => string, isInOrderOfTime: boolean) {
  const sums = new Map<string, { cost: number; calls: number }>();
  for (const used of hours) {
    const sum = sums.get(keyOf(used)) ?? { cost: 0, calls: 0 };
    sums.set(keyOf(used), { cost: sum.cost + used.cost_micros, calls: sum.calls + used.llm_calls });
  }
  return [...sums]
    .map(([key, { cost, calls }]) => ({ key, cost, calls }))
    .sort((a, b) => (isInOrderOfTime ? 0 : b.cost - a.cost || b.calls - a.calls) || (a.key < b.key ? -1 : 1));
}

const NOTHING = {
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  llm_calls: 0,
  tool_calls: 0,
  tool_errors: 0,
  cost_usd: '0.000000',
  uncosted_calls: 0,
};
const MARCH = 'since=2026-03-01&until=2026-04-01';

describe('GET /usage', () => {
  it('sums up the usage of spans, of today and in total', async () => {
    const worker = await createWorker(app, person);
    const traceId = newTraceId();
    await exportSpans(worker, [llmSpan({ traceId, input: 1_000_000, output: 0 }), toolSpan({ traceId })]);
    const { status, body } = await read();
    expect([status, body.group_by, body.omitted_rows]).toEqual([200, 'day', 0]);
    const sums = { ...NOTHING, input_tokens: 1_000_000, llm_calls: 1, tool_calls: 1, cost_usd: '2.500000' };
    expect(body.total).toEqual(sums);
    expect(body.rows).toEqual([{ ...sums, day: new Date().toISOString().slice(0, 10) }]);
    expect(await rowsOf('group_by=agent')).toMatchObject([sums]);
    const days = (Date.parse(body.until) - Date.parse(body.since)) / 86_400_000;
    expect([days, Date.parse(body.until) > Date.now()]).toEqual([30, true]);
    expect(await rowsOf('group_by=model')).toMatchObject([
      { model: 'gpt-4o', llm_calls: 1, tool_calls: 0 },
      { model: null, llm_calls: 0, tool_calls: 1 },
    ]);
  });

  it('sums up whole days and the hours before and after them, each once', async () => {
    const hours = ['01T04:30', '01T05:10', '02T00:00', '02T23:59', '03T12:00', '04T05:59', '04T06:00'];
    await storeUsage(
      app,
      hours.map((hour) => used(`2026-03-${hour}:00Z`)),
    );
    const range = 'since=2026-03-01T05:00:00Z&until=2026-03-04T06:00:00Z';
    const days = await rowsOf(range);
    expect(days.map(({ day, llm_calls }) => [day, llm_calls])).toEqual([
      ['2026-03-01', 1],
      ['2026-03-02', 2],
      ['2026-03-03', 1],
      ['2026-03-04', 1],
    ]);
    expect((await read(`${range}&group_by=agent`)).body.total).toMatchObject({ llm_calls: 5 });
    const inHours = await rowsOf(`${range}&group_by=hour`);
    expect(inHours.map(({ hour }) => hour)).toEqual([
      '2026-03-01T05:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      '2026-03-02T23:00:00.000Z',
      '2026-03-03T12:00:00.000Z',
      '2026-03-04T05:00:00.000Z',
    ]);
  });

  it('has the sums of the single hours, for random usage in random ranges', async () => {
    const projects = [person.id, await createProject(person)];
    const agents = [agent.id, (await createAgent(app, person)).id];
    const present = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const hours = Array.from({ length: 600 }, (): Used => ({
      project_id: oneOf(projects),
      agent_id: oneOf(agents),
      at: new Date(present - randomInt(RANDOM_DAYS * 24) * HOUR_MS).toISOString(),
      model: oneOf(['gpt-4o', 'gemini-2.5-pro']),
      config_version: randomInt(1, 4),
      llm_calls: randomInt(1, 10),
      cost_micros: randomInt(1_000),
    }));
    await storeUsage(app, hours);
    for (let round = 0; round < 10; round += 1) {
      const since = present - randomInt(2, RANDOM_DAYS * 24) * HOUR_MS;
      const until = round % 3 === 0 ? null : since + randomInt(1, (present - since) / HOUR_MS) * HOUR_MS;
      const within = hours.filter(
        ({ at }) => Date.parse(at) >= since && (until === null || Date.parse(at) < until),
      );
      const range = `since=${new Date(since).toISOString()}${until === null ? '' : `&until=${new Date(until).toISOString()}`}`;
      for (const [grouping, keyOf] of Object.entries(KEY_OF)) {
        const { body } = await person.api.get(`/usage?group_by=${grouping}&${range}`);
        const rows = body.rows.map((row: any) => ({
          key: keyOf({ ...row, at: row.day }),
          cost: Math.round(Number(row.cost_usd) * 1_000_000),
          calls: row.llm_calls,
        }));
        const expected = plainSums(within, keyOf, grouping === 'day');
        expect([range, grouping, rows]).toEqual([range, grouping, expected]);
        const calls = within.reduce((sum, used) => sum + used.llm_calls, 0);
        expect([range, grouping, body.total.llm_calls]).toEqual([range, grouping, calls]);
      }
    }
  });

  it('has the agents that cost most first, by name', async () => {
    const other = await createAgent(app, person, { name: 'writer' });
    const gone = '0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11';
    await storeUsage(app, [
      used('2026-03-05T05:00Z', { cost_micros: 1, uncosted_calls: 3 }),
      used('2026-03-06T05:00Z', { agent_id: other.id, cost_micros: 2_000_001 }),
      used('2026-03-06T05:00Z', { agent_id: gone }),
    ]);
    const { body } = await read(`${MARCH}&group_by=agent`);
    expect(body.rows.map((row: any) => [row.agent_id, row.agent_name, row.cost_usd])).toEqual([
      [other.id, 'writer', '2.000001'],
      [agent.id, 'reader', '0.000001'],
      [gone, null, '0.000000'],
    ]);
    expect(body.total).toMatchObject({ cost_usd: '2.000002', uncosted_calls: 3 });
    const { total } = (await read(`${MARCH}&group_by=day&agent_id=${other.id}`)).body;
    expect(total).toMatchObject({ cost_usd: '2.000001', llm_calls: 1 });
  });

  it('distinguishes the config versions of each agent, and calls without one', async () => {
    const other = await createAgent(app, person);
    await storeUsage(app, [
      used('2026-03-05T05:00Z', { config_version: 1, cost_micros: 3 }),
      used('2026-03-05T05:00Z', { config_version: 2, cost_micros: 2 }),
      used('2026-03-05T05:00Z', { config_version: 0, cost_micros: 1 }),
      used('2026-03-05T05:00Z', { agent_id: other.id, cost_micros: 4 }),
    ]);
    const rows = await rowsOf(`${MARCH}&group_by=config_version`);
    expect(rows.map((row) => [row.agent_id, row.config_version])).toEqual([
      [other.id, 1],
      [agent.id, 1],
      [agent.id, 2],
      [agent.id, null],
    ]);
  });

  it('shows a thousand groups after the skipped ones, and the sum of all', async () => {
    const hours = Array.from({ length: 1_002 }, (_, index) =>
      used('2026-03-05T05:00Z', { model: `m${index}`, cost_micros: index }),
    );
    await storeUsage(app, hours);
    const { body } = await read(`${MARCH}&group_by=model`);
    expect([body.rows.length, body.omitted_rows, body.total.llm_calls]).toEqual([1_000, 2, 1_002]);
    expect([body.rows[0].model, body.rows.at(-1).model]).toEqual(['m1001', 'm2']);
    for (const [skip, models, omitted] of [
      [1_000, ['m1', 'm0'], 0],
      [1_002, [], 0],
      [1, ['m1000'], 1],
    ] as const) {
      const { body: part } = await read(`${MARCH}&group_by=model&skip=${skip}`);
      expect(part.rows.slice(0, models.length || 1).map(({ model }: { model: string }) => model)).toEqual(
        models,
      );
      expect([part.omitted_rows, part.total]).toEqual([omitted, body.total]);
    }
  });

  it("covers each of the caller's projects by itself, and no others", async () => {
    const project = await createProject(person);
    await storeUsage(app, [used('2026-03-05T05:00Z'), used('2026-03-05T05:00Z', { project_id: project })]);
    const ids = async (query = '') =>
      (await rowsOf(`${MARCH}&group_by=project${query}`)).map((row) => row.project_id);
    expect((await ids()).sort()).toEqual([person.id, project].sort());
    expect(await ids(`&project_id=${project}`)).toEqual([project]);
    const stranger = await registerPerson(app);
    expect((await read(`${MARCH}&agent_id=${agent.id}`, stranger)).body).toMatchObject({
      total: NOTHING,
      rows: [],
    });
    expectError(await read(`project_id=${project}`, stranger), 404, 'Project not found');
    const operator = await registerOperator(app);
    expect((await read(MARCH, operator)).body.rows).toEqual([]);
    expect((await read(`${MARCH}&project_id=${project}`, operator)).body.rows).toHaveLength(1);
  });

  it('refuses a range that is empty or too long, and unknown groups', async () => {
    const queries = [
      'group_by=week',
      'since=2026-03-02&until=2026-03-01',
      'group_by=hour&since=2026-01-01&until=2026-03-01',
    ];
    for (const query of queries) expect([query, (await read(query)).status]).toEqual([query, 422]);
    expect((await read('since=2026-01-01&until=2026-03-01')).status).toBe(200);
  });
});

describe('Retention', () => {
  it('removes usage that is older than USAGE_RETENTION_DAYS, and a week when its last day is', async () => {
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    await storeUsage(app, [used(daysAgo(408)), used(daysAgo(402)), used(daysAgo(398))]);
    const counted = async () => {
      const [row] = await app.database.query<{ hours: number; days: number; oldWeeks: boolean }>(
        `SELECT (SELECT count(*)::int FROM usage_hourly WHERE project_id = $1) AS hours,
           (SELECT count(*)::int FROM usage_daily WHERE project_id = $1) AS days,
           (SELECT bool_or(week < now() - interval '406 days') FROM usage_weekly WHERE project_id = $1) AS "oldWeeks"`,
        [person.id],
      );
      return row;
    };
    expect(await counted()).toEqual({ hours: 3, days: 3, oldWeeks: true });
    await until(() => app.app.get(PeriodicJobs).runOnce('usageRetention'));
    expect(await counted()).toEqual({ hours: 1, days: 1, oldWeeks: false });
  });
});
