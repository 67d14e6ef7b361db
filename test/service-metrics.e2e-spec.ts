import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { freePort } from '../bench/fleet/free-port.js';
import { roundFinished } from '../src/database/periodic-job.js';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { MonitorService } from '../src/monitor/monitor.service.js';
import { MetricsServer } from '../src/observability/metrics-server.js';
import { createAgent, obey } from './builders/agents.js';
import { registerOperator, type Person } from './builders/people.js';
import { ask, claim, createWorker, tell } from './builders/runs.js';
import { exportLoop } from './builders/traces.js';
import { ApiDescription } from './harness/openapi.js';
import { exchangeBytes } from './harness/raw-request.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** The program of Prometheus that checks metrics. */
const PROMTOOL = process.env.PROMTOOL_PATH;

let app: TestApp;
let operator: Person;
let port: number;

beforeAll(async () => {
  port = await freePort();
  app = await startTestApp({
    settings: { METRICS_PORT: String(port), PUBLIC_URL: 'https://control.example.com' },
  });
  operator = await registerOperator(app);
});

afterAll(() => app.close());

/** The value of the first line that begins with the text; undefined where there is none. */
async function metric(beginning: string): Promise<number | undefined> {
  const { body } = await operator.api.get<string>('/metrics');
  const line = body.split('\n').find((each) => each.startsWith(`${beginning} `));
  return line === undefined ? undefined : Number(line.slice(beginning.length));
}

/** Names of metrics in a text; a histogram's parts have its name and an ending. */
function namesIn(text: string): Set<string> {
  const names = text.match(/\b(?:http|control_plane|nodejs|process)_[a-z0-9_]+/g) ?? [];
  return new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

const rules = () => (load(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as Rules).groups[0]!.rules;

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

const expressions = () =>
  (JSON.parse(readFileSync('deploy/grafana/control-plane.json', 'utf8')) as Dashboard).panels.flatMap(
    ({ targets }) => targets.map(({ expr }) => expr),
  );

/** Labels `route` of the operations that take a `wait` or stream events. */
function waitingRoutes(): readonly string[] {
  const api = ApiDescription.committed();
  return api.operations
    .filter(({ parameters, body, responses }) => {
      const takesWait =
        parameters.some(({ name }) => name === 'wait') ||
        'wait' in (api.resolve(body ?? {}).properties ?? {});
      return (
        takesWait || Object.values(responses).some(({ content }) => 'text/event-stream' in (content ?? {}))
      );
    })
    .map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
}

describe('The metrics of the service', () => {
  it('count and time requests by the template of their route, never by their path', async () => {
    const agent = await createAgent(app, operator);
    const requests = 'http_requests_total{method="GET",route="/agents/:agent_id",status="200"}';
    const before = (await metric(requests)) ?? 0;
    await operator.api.get(`/agents/${agent.id}`);
    await until(async () => (await metric(requests)) === before + 1);
    const { body } = await operator.api.get<string>('/metrics');
    expect(body).toContain(
      'http_request_duration_seconds_bucket{le="0.1",method="GET",route="/agents/:agent_id"}',
    );
    expect(body).not.toContain(agent.id);
  });

  it('count unmatched requests with any path under one label', async () => {
    const requests = 'http_requests_total{method="GET",route="none",status="404"}';
    const before = (await metric(requests)) ?? 0;
    await operator.api.get('/no-such-path');
    await operator.api.get('/nor-this-one');
    await until(async () => (await metric(requests)) === before + 2);
  });

  it('export how much of its budget the instance uses', async () => {
    expect(await metric('control_plane_places{kind="people"}')).toBe(300);
    // this request itself has one
    expect(await metric('control_plane_places_taken{kind="people"}')).toBe(1);
    expect(await metric('control_plane_pool_size{pool="runtimes"}')).toBeGreaterThan(0);
    expect(await metric('control_plane_pool_waiting{pool="runtimes"}')).toBe(0);
  });

  it('export the sizes of group commits and the hits of caches', async () => {
    const agent = await createAgent(app, operator);
    await agent.runtime.post('/agents/heartbeat', {});
    await agent.runtime.post('/agents/heartbeat', {});
    expect(await metric('control_plane_group_size_count{group="presence"}')).toBeGreaterThan(0);
    expect(await metric('control_plane_cache_reads_total{cache="api_key",outcome="hit"}')).toBeGreaterThan(0);
  });

  it('export the number of agents in each state of health', async () => {
    const before = (await metric('control_plane_agents{health="idle"}')) ?? NaN;
    await createAgent(app, operator);
    expect(await metric('control_plane_agents{health="idle"}')).toBe(before + 1);
    expect(await metric('control_plane_agents{health="failing"}')).toBe(0);
  });

  it('export the number of pending commands and messages, and the age of the oldest', async () => {
    const agent = await createAgent(app, operator);
    const pending = (await metric('control_plane_commands{state="pending"}')) ?? NaN;
    await operator.api.post(`/agents/${agent.id}/deploy`);
    expect(await metric('control_plane_commands{state="pending"}')).toBe(pending + 1);
    expect(await metric('control_plane_command_oldest_seconds{state="pending"}')).toBeGreaterThan(0);
    const succeeded = (await metric('control_plane_commands_settled_total{state="succeeded"}')) ?? 0;
    await obey(agent);
    expect(await metric('control_plane_commands_settled_total{state="succeeded"}')).toBe(succeeded + 1);
    expect(await metric('control_plane_webhook_messages_due')).toBe(0);
  });

  it('export waiting and active runs, and count ended ones', async () => {
    const worker = await createWorker(app, operator);
    const count = async (status: string) => (await metric(`control_plane_runs{status="${status}"}`)) ?? NaN;
    const [queued, running] = [await count('queued'), await count('running')];
    const { id } = await ask(operator, worker);
    expect(await count('queued')).toBe(queued + 1);
    await worker.runtime.post('/agents/heartbeat', {});
    await until(async () => (await metric('control_plane_run_online_seconds{status="queued"}'))! > 0);
    await claim(worker);
    expect([await count('queued'), await count('running')]).toEqual([queued, running + 1]);
    const ended = (await metric('control_plane_runs_ended_total{status="succeeded"}')) ?? 0;
    const seconds = (await metric('control_plane_run_seconds_count{phase="running"}')) ?? 0;
    await tell(worker, { run_id: id, status: 'succeeded' });
    // A step of a run that has ended before: its spans may come late.
    await exportLoop(worker, id);
    const { body: steps } = await operator.api.get(`/runs/${id}/events?limit=1`);
    expect(steps).toMatchObject([{ event_type: 'loop_suspected', status: 'succeeded' }]);
    expect(await metric('control_plane_runs_ended_total{status="succeeded"}')).toBe(ended + 1);
    expect(await metric('control_plane_run_seconds_count{phase="running"}')).toBe(seconds + 1);
    expect(await metric('control_plane_run_seconds_count{phase="waiting"}')).toBeGreaterThan(0);
  });

  it('export the wait of a command whose agent was online, and nothing of one whose agent is away', async () => {
    const waited = () => metric('control_plane_command_online_seconds{state="pending"}');
    const away = await createAgent(app, operator);
    await operator.api.post(`/agents/${away.id}/deploy`);
    await app.database.query("UPDATE commands SET created_at = now() - interval '30 days'");
    expect(await metric('control_plane_command_oldest_seconds{state="pending"}')).toBeGreaterThan(2_000_000);
    expect(await waited()).toBe(0);
    const online = await createAgent(app, operator);
    await operator.api.post(`/agents/${online.id}/deploy`);
    await online.runtime.post('/agents/heartbeat', {});
    await until(async () => (await waited())! > 0);
    await app.database.query("UPDATE commands SET created_at = now() - interval '30 days'");
    // the time before the agent came online does not count
    expect(await waited()).toBeLessThan(3_600);
    await app.database.query("UPDATE agent_presence SET online_since = now() - interval '2 hours'");
    expect(await waited()).toBeGreaterThan(7_100);
    await app.database.query("UPDATE agent_presence SET online_until = now() - interval '1 minute'");
    expect(await waited()).toBe(0);
  });

  it('export when the monitor and the dispatcher last finished a round', async () => {
    const finished = (round: string) =>
      metric(`control_plane_round_finished_timestamp_seconds{round="${round}"}`);
    // a suite of the same process may have left a time of its own clock
    roundFinished.reset();
    for (const round of ['monitor', 'dispatcher']) {
      await until(async () => {
        if (round === 'monitor') await app.app.get(PeriodicJobs).runOnce('monitor');
        return ((await finished(round)) ?? 0) > 0;
      });
      expect(Math.abs((await finished(round))! - Date.now() / 1_000)).toBeLessThan(3_600);
    }
  });

  it('do not renew the time of a monitor whose rounds fail', async () => {
    const name = 'control_plane_round_finished_timestamp_seconds{round="monitor"}';
    await until(() => app.app.get(PeriodicJobs).runOnce('monitor'));
    const before = await metric(name);
    const job = app.app.get(PeriodicJobs);
    app.app.get(MonitorService).restartGracePeriod(-Infinity);
    await app.database.query('ALTER TABLE deployments RENAME TO deployments_away');
    try {
      await expect(job.runOnce('monitor')).rejects.toThrow(/deployments/);
      expect(await metric(name)).toBe(before);
    } finally {
      await app.database.query('ALTER TABLE deployments_away RENAME TO deployments');
    }
  });

  it('have no gauge that is named like a counter', async () => {
    const { body } = await operator.api.get<string>('/metrics');
    const gauges = [...body.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name!);
    expect(gauges.length).toBeGreaterThan(20);
    expect(gauges.filter((name) => name.endsWith('_total'))).toEqual([]);
  });

  (PROMTOOL ? it : it.skip)('are as promtool wants them (skipped without PROMTOOL_PATH)', async () => {
    const { body } = await operator.api.get<string>('/metrics');
    const { stdout, stderr } = spawnSync(PROMTOOL!, ['check', 'metrics'], { input: body, encoding: 'utf8' });
    expect(stdout + stderr).toBe('');
  });

  (PROMTOOL ? it : it.skip)('alert in every situation of test/alerts (skipped without PROMTOOL_PATH)', () => {
    const tested = spawnSync(PROMTOOL!, ['test', 'rules', 'test/alerts/alerts.yaml'], { encoding: 'utf8' });
    expect([tested.status, tested.stdout + tested.stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  it('are served without a credential on their own port, which serves nothing else', async () => {
    await app.app.get(MetricsServer).listen();
    const own = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(own.status).toBe(200);
    expect(own.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await own.text()).toContain('# TYPE http_requests_total counter');
    expect((await fetch(`http://127.0.0.1:${port}/agents`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('are refused, on a port on loopback, to a page whose name was given its address', async () => {
    const ask = (host: string) =>
      exchangeBytes(
        `http://127.0.0.1:${port}`,
        `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
    for (const host of ['evil.example.com', `evil.example.com:${port}`, 'localhost.evil.example.com']) {
      const reply = await ask(host);
      expect(reply).toMatch(/^HTTP\/1\.1 421 .*does not answer to the host "/s);
      expect(reply).not.toContain('# TYPE');
    }
    for (const host of ['localhost', `127.0.0.1:${port}`, 'control.example.com'])
      expect(await ask(host)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('are all in the dashboard, and say what they count; dashboard, alerts and documentation name no others', async () => {
    const { body } = await operator.api.get<string>('/metrics');
    const told = new Set([...body.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    const texts = [
      ...rules().flatMap(({ expr, annotations }) => [expr, annotations.description!]),
      ...expressions(),
    ];
    const page = readFileSync('docs/observability.md', 'utf8');
    const named = [...namesIn(texts.join('\n')), ...namesIn(page)];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !told.has(name))).toEqual([]);
    const ours = [...told].filter((name) => /^(http|control_plane)_/.test(name!));
    const unexplained = ours.filter((name) => !new RegExp(`^# HELP ${name} \\w.{10}`, 'm').test(body));
    expect(unexplained).toEqual([]);
    const shown = namesIn(expressions().join('\n'));
    expect(ours.filter((name) => !shown.has(name!))).toEqual([]);
  });

  it('have quantiles of durations without the routes that wait on purpose, in the alert and in the dashboard', () => {
    const left = [...rules().map(({ expr }) => expr), ...expressions()]
      .filter((expr) => expr.includes('http_request_duration_seconds_bucket'))
      .map((expr) => new RegExp(`^(?:${/route!~\s*"(.+?)"/.exec(expr)![1]!})$`));
    expect(left.length).toBeGreaterThan(3);
    const waiting = [...waitingRoutes(), '/mcp'];
    expect(waiting.length).toBeGreaterThan(8);
    for (const pattern of left) expect(waiting.filter((route) => !pattern.test(route))).toEqual([]);
  });

  it('have alerts that each say what happened and what to do', () => {
    for (const { alert, annotations } of rules()) {
      const sentences = {
        summary: expect.stringMatching(/\w{3}/),
        description: expect.stringMatching(/[.?]$/),
      };
      expect([alert, annotations]).toEqual([alert, sentences]);
    }
  });
});
