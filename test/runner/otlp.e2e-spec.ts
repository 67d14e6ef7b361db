import { join } from 'node:path';
import { createAgent, deploy } from '../builders/agents.js';
import { until } from '../harness/until.js';
import { hasPython, PYTHON, PYTHON_NEEDED } from '../python/python.js';
import { RunStage } from './run-stage.js';
import { RunnerSuite } from './runner-suite.js';

/** `svc run` with real programs that speak OpenTelemetry, and the real service. */
let suite: RunnerSuite;

beforeAll(async () => {
  suite = await RunnerSuite.open();
});

afterAll(() => suite.close());

const NODE_PROGRAM = [process.execPath, join(import.meta.dirname, 'otlp-agent.mjs')];
const PYTHON_PROGRAM = [PYTHON, join(import.meta.dirname, 'otlp_agent.py')];

async function stageInNode() {
  const home = suite.makeHome();
  const config = { command: NODE_PROGRAM, readiness: { seconds: 0.1 }, stop_grace_seconds: 10 };
  const agent = await createAgent(suite.app, suite.person, { config });
  const deployment = await deploy(suite.person, agent);
  const path = `/deployments/${deployment}/logs?limit=500`;
  const logs = async () => (await suite.person.api.get(path)).body as any[];
  return {
    agent,
    deployment,
    variables: { HOME: home.path, SERVICE_AGENT_KEY: agent.key },
    logs,
    /** Waits for a line of the log. */
    find: (message: string) => until(async () => (await logs()).find((it) => it.message === message)),
  };
}

describe('A program with the SDK of OpenTelemetry', () => {
  it('is seen without configuration, with its deployment and replica, and to its last word', async () => {
    const { agent, variables, deployment, logs, find } = await stageInNode();
    const runner = suite.run(variables);
    const entry = await find('begun');
    expect(entry).toMatchObject({ level: 'info', deployment_id: deployment });
    expect(entry.metadata.resource).toEqual({
      'agent_control_plane.deployment_id': deployment,
      'agent_control_plane.replica': '0',
    });
    await find('listening');
    expect(await runner.end()).toBe(0);
    expect((await logs()).map(({ message }) => message)).toContain('ending');
    const { body: runs } = await suite.person.api.get(`/runs?agent_id=${agent.id}`);
    const { body: spans } = await suite.person.api.get(`/runs/${runs[0].id}/spans`);
    expect(spans).toEqual([
      expect.objectContaining({ name: 'last words', kind: 'llm', model: 'm', deployment_id: deployment }),
    ]);
    expect(runner.count('telemetry_lost')).toBe(0);
  });

  it('sends to the next runner after its own was killed', async () => {
    const { variables, find } = await stageInNode();
    const first = suite.runProcess(variables);
    await find('begun');
    const { metadata } = await find('listening');
    await first.end('SIGKILL');
    const next = suite.run(variables);
    await next.next('replica_adopted');
    process.kill(metadata.pid as number, 'SIGUSR2');
    await find('told');
  });
});

(hasPython ? describe : describe.skip)(`A program of a run, in Python ${PYTHON_NEEDED}`, () => {
  const open = (config = {}) => RunStage.open(suite, { command: PYTHON_PROGRAM }, config);

  it('gets the address and its names, and its run has its log and its spans', async () => {
    const on = await open({ env: { OTEL_RESOURCE_ATTRIBUTES: 'service.name=answers' } });
    on.run();
    const run = await on.shows(await on.ask({}), 'succeeded');
    expect(run.output).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}$/),
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_RESOURCE_ATTRIBUTES: [
        'service.name=answers',
        `agent_control_plane.deployment_id=${on.deployment}`,
        'agent_control_plane.replica=0',
        `agent_control_plane.run_id=${run.id}`,
      ].join(','),
      statuses: [200, 200],
    });
    const entry = await until(async () => (await on.logs(run)).find((it) => it.message === 'from Python'));
    expect(entry).toMatchObject({ level: 'warning', run_id: run.id, deployment_id: on.deployment });
    const [span] = await until(async () => {
      const { body } = await suite.person.api.get(`/runs/${run.id}/spans`);
      return body.length > 0 && body;
    });
    expect(span).toMatchObject({ kind: 'tool', tool: 'look', deployment_id: on.deployment });
  });

  it('has no such variables with --no-otlp', async () => {
    const on = await open();
    suite.run({ HOME: on.home.path, SERVICE_AGENT_KEY: on.agent.key }, ['--no-otlp']);
    const { output } = await on.shows(await on.ask({}), 'succeeded');
    expect(output).toEqual({
      OTEL_EXPORTER_OTLP_ENDPOINT: null,
      OTEL_EXPORTER_OTLP_PROTOCOL: null,
      OTEL_RESOURCE_ATTRIBUTES: null,
    });
  });
});
