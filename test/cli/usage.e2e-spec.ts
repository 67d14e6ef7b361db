import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { ask, claim, createWorker } from '../builders/runs.js';
import { exportSpans, llmSpan, newSpanId, newTraceId, toolSpan } from '../builders/traces.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import { Svc } from './svc.js';

let app: TestApp;
let ada: Person;
let svc: Svc;
let reader: TestAgent;

const COST = 'agent_control_plane.cost_usd';

beforeAll(async () => {
  app = await startTestApp();
  ada = await registerPerson(app);
  svc = await Svc.loggedIn(app.url, ada.email);
  reader = await createAgent(app, ada, { name: 'reader' });
  await exportSpans(reader, [
    llmSpan({ model: 'small', input: 1_000_000, output: 20, attributes: { [COST]: '1.5' } }),
    llmSpan({ model: 'own', input: 5, output: 1 }),
    toolSpan(),
  ]);
});

afterAll(async () => {
  await svc.removeHome();
  await app.close();
});

describe('svc top', () => {
  it('shows the last measurements of active deployments, and the usage of the last hour', async () => {
    const idle = await createAgent(app, ada, { name: 'idle' });
    await deploy(ada, idle);
    const id = await deploy(ada, reader);
    const measure = (cpu_usage: number) =>
      reader.runtime.post('/agents/metrics', { deployment_id: id, cpu_usage, memory_usage: 80.26 });
    await measure(99);
    await measure(12.5);
    // the usage of spans is added up a little later
    const stdout = await until(async () => {
      const printed = await svc.succeeds(['top']);
      return printed.includes('$1.50') && printed;
    });
    const [heading, ...rows] = stdout.trim().split('\n');
    expect(heading).toMatch(/^AGENT +READY +CPU +MEMORY +RESTARTS +TOKENS +COST$/);
    expect(rows[0]).toMatch(/^reader +0\/1 +12\.5 +80\.3 +0 +1,000,026 +\$1\.50$/);
    expect(rows[1]).toMatch(/^idle +0\/1 +0 +0 +\$0\.00$/);
    expect(await svc.json(['top', '--sort', 'name'])).toMatchObject([
      { agent_id: idle.id, cpu_usage: null },
      { agent_id: reader.id, cpu_usage: 12.5, memory_usage: 80.26, tokens: 1_000_026 },
    ]);
  });

  it('continues with --watch, a line of JSON each time, until Ctrl-C', async () => {
    const running = svc.start(['top', '--watch', '--output', 'json']);
    await running.comesTo(() => running.lines.length > 0);
    expect(JSON.parse(running.lines[0]!)).toMatchObject([{ agent_name: 'reader' }, { agent_name: 'idle' }]);
    await running.interrupted();
  });
});

describe('svc usage', () => {
  it('prints a row for each day with the sum of all, and says how many calls have no price', async () => {
    const { code, stdout, stderr } = await svc.run(['usage', '--agent-id', 'reader']);
    expect(code).toBe(0);
    const [heading, row, total] = stdout.split('\n');
    expect(heading).toMatch(/^DAY +INPUT +CACHE READ +CACHE WRITE +OUTPUT +CALLS +TOOLS +COST +NO PRICE$/);
    expect(row).toMatch(/^\d{4}-\d\d-\d\d +1,000,005 +0 +0 +21 +2 +1 +\$1\.50 +1$/);
    expect(total).toMatch(/^total +1,000,005 +0 +0 +21 +2 +1 +\$1\.50 +1$/);
    expect(stderr).toBe('1 call without a price: their cost is not in this\n');
  });

  it.each([
    ['model', /^MODEL [^\n]*\nsmall +1,000,000 [^\n]*\n/],
    ['agent', /^AGENT [^\n]*\nreader +1,000,005 /],
    ['config_version', /^AGENT +VERSION [^\n]*\nreader +(1|unknown) +1,000,005 [^\n]*\ntotal +1,000,005 /],
    ['project', /^PROJECT [^\n]*\nPersonal +1,000,005 /],
    ['hour', /^HOUR [^\n]*\n\d{4}-\d\d-\d\dT\d\d:00:00.000Z +1,000,005 /],
  ])('has a row for each %s', async (by, expected) => {
    expect(await svc.succeeds(['usage', '--by', by])).toMatch(expected);
  });

  it('is the reply of the service as JSON, and nothing for a time without usage', async () => {
    const report = await svc.json(['usage', '--by', 'model', '--since', '2h', '--project', 'Personal']);
    expect(report).toMatchObject({ group_by: 'model', total: { cost_usd: '1.500000', uncosted_calls: 1 } });
    expect(report.rows.map(({ model }: { model: string | null }) => model)).toContain('own');
    const none = await svc.run(['usage', '--since', '2026-01-01', '--until', '2026-01-02']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('Nothing was used') });
    const unknown = await svc.run(['usage', '--by', 'week']);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('config_version') });
  });
});

describe('svc runs spans', () => {
  it('prints the spans of a run as a tree, with duration, usage and error of each', async () => {
    const worker = await createWorker(app, ada, { name: 'worker' });
    const run = await ask(ada, worker);
    await claim(worker);
    expect(await svc.run(['runs', 'spans', run.id])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No spans'),
    });
    const [traceId, top, startedAt] = [newTraceId(), newSpanId(), Date.now() - 60_000];
    const within = { traceId, parentSpanId: top };
    const agent = { 'gen_ai.operation.name': 'invoke_agent' };
    await exportSpans(
      worker,
      [
        { traceId, spanId: top, name: 'answer', startedAt, durationMs: 4_100, attributes: agent },
        llmSpan({ ...within, startedAt: startedAt + 1, durationMs: 812, attributes: { [COST]: '0.25' } }),
        toolSpan({ ...within, startedAt: startedAt + 2, status: { code: 2, message: 'no such page' } }),
      ],
      { 'agent_control_plane.run_id': run.id },
    );
    const printed = await until(async () => {
      const { stdout } = await svc.run(['runs', 'spans', run.id.slice(0, 30)]);
      return stdout.split('\n').length > 4 && stdout.split('\n');
    });
    expect(printed).toEqual([
      expect.stringMatching(/^SPAN +KIND +TOOK +MODEL +TOKENS +COST +ERROR$/),
      expect.stringMatching(/^answer +agent +4\.1s$/),
      expect.stringMatching(/^├─ chat gpt-4o +llm +812ms +gpt-4o +100 in, 10 out +\$0\.25$/),
      expect.stringMatching(/^└─ execute_tool search +tool +500ms +no such page$/),
      '',
    ]);
    expect(await svc.json(['runs', 'spans', run.id])).toEqual(
      (await ada.api.get(`/runs/${run.id}/spans`)).body,
    );
    expect(await svc.succeeds(['runs', 'get', run.id])).toMatch(/^Tokens +100 in, 10 out\nCost +\$0\.25$/m);
    const ofTraces = await svc.json(['runs', 'list', '--agent-id', 'reader', '--source', 'trace']);
    expect(ofTraces).not.toEqual([]);
  });

  it('reads every page of them', async () => {
    const worker = await createWorker(app, ada);
    const run = await ask(ada, worker);
    await claim(worker);
    const traceId = newTraceId();
    const spans = Array.from({ length: 6_001 }, () => toolSpan({ traceId }));
    await exportSpans(worker, spans, { 'agent_control_plane.run_id': run.id });
    const ids = await until(async () => {
      const all = await svc.json(['runs', 'spans', run.id, '--json', 'span_id']);
      return all.length === spans.length && all;
    });
    expect(new Set(ids.map(({ span_id }: { span_id: string }) => span_id)).size).toBe(spans.length);
  });
});
