import { join } from 'node:path';
import { createAgent, deploy, type TestAgent } from '../builders/agents.js';
import { readAgent, readDeployment } from '../builders/pauses.js';
import type { Person } from '../builders/people.js';
import { ask, readRun } from '../builders/runs.js';
import { until } from '../harness/until.js';
import { FakeModel } from './fake-model.js';
import { isRunning, type RunnerProcess } from './runner-process.js';
import { RunnerSuite } from './runner-suite.js';

/** Programs under `svc run` that call a model without end, and budgets that bring them to one. */
const PROGRAM = [process.execPath, join(import.meta.dirname, 'runaway-agent.mjs')];
const LIMIT_USD = 1;

let suite: RunnerSuite;
let person: Person;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  person = suite.person;
});

afterAll(() => suite.close());

interface Stage {
  readonly agent: TestAgent;
  readonly deployment: string;
  readonly model: FakeModel;
  readonly runner: RunnerProcess;
  /** Reads the budget of a dollar that the agent has. */
  readonly budget: () => Promise<any>;
}

/** @param exportMs pause between two exports of the program; undefined: that of the SDK, five seconds */
function itOnStage(
  title: string,
  how: { exportMs?: number; on_exceeded: string; period: string; isOfRuns?: boolean },
  test: (on: Stage) => Promise<void>,
): void {
  it.concurrent(title, async () => {
    const { exportMs, isOfRuns, ...terms } = how;
    const model = await FakeModel.open();
    try {
      const env = {
        MODEL_URL: model.url,
        ...(exportMs !== undefined && { OTEL_BSP_SCHEDULE_DELAY: String(exportMs) }),
      };
      const work = isOfRuns
        ? { run: { command: PROGRAM } }
        : { command: PROGRAM, readiness: { seconds: 0.1 } };
      const agent = await createAgent(suite.app, person, {
        config: { ...work, env, stop_grace_seconds: 60 },
      });
      const body = { name: 'a dollar', agent_id: agent.id, limit: { usd: LIMIT_USD }, ...terms };
      const { id } = (await person.api.post('/budgets', body)).body;
      const budget = async () => (await person.api.get(`/budgets/${id}`)).body;
      const deployment = await deploy(person, agent);
      const { path: HOME } = suite.makeHome();
      const runner = suite.runProcess({ HOME, SERVICE_AGENT_KEY: agent.key });
      await test({ agent, deployment, model, runner, budget });
      process.stdout.write(`A runaway agent ${title}: ${model.overshoot(LIMIT_USD)}\n`);
      expect(await runner.end()).toBe(0);
    } finally {
      model.close();
    }
  });
}

/** The program has ended, no other one was begun, and the budget knows of every call. */
async function expectEnd({ model, budget }: Stage): Promise<void> {
  expect(model.callers.size).toBe(1);
  expect([...model.callers].filter(isRunning)).toEqual([]);
  await until(async () => (await budget()).spent.usd === model.spentUsd);
  expect(await budget()).toMatchObject({ state: 'exceeded', limit: { usd: '1.000000' } });
}

async function untilPaused(on: Stage): Promise<void> {
  await until(async () => {
    const { paused } = await readAgent(person, on.agent);
    return paused !== null && paused.confirmed_at !== null;
  });
  await expectEnd(on);
  expect(await readAgent(person, on.agent)).toMatchObject({
    paused: { by: 'budget', pause_id: (await on.budget()).pause_id },
    health: { state: 'paused' },
  });
  // A heartbeat that was under way when the pause was confirmed may be read after that.
  await until(async () => (await readDeployment(person, on.deployment)).ready_replicas === 0);
  expect(await readDeployment(person, on.deployment)).toMatchObject({ replicas: 1 });
}

const pauses = { on_exceeded: 'pause', period: 'day' };

itOnStage('is paused by its budget, with the exports of the SDK', pauses, untilPaused);

itOnStage('is paused by its budget, with an export each second', { ...pauses, exportMs: 1_000 }, untilPaused);

itOnStage(
  'is stopped by its budget, with an export each second',
  { on_exceeded: 'stop', period: 'day', exportMs: 1_000 },
  async (on) => {
    await until(async () => (await readDeployment(person, on.deployment)).status === 'stopped');
    await until(() => on.model.callers.size > 0 && ![...on.model.callers].some(isRunning));
    await expectEnd(on);
  },
);

itOnStage(
  'has its run cancelled by a budget for runs, with an export each second',
  { on_exceeded: 'pause', period: 'run', exportMs: 1_000, isOfRuns: true },
  async ({ agent, model, budget }) => {
    const { id } = await ask(person, agent);
    await until(async () => (await readRun(person, id)).status === 'cancelled');
    expect([...model.callers].map(isRunning)).toEqual([false]);
    await until(async () => {
      const { usage } = (await person.api.get(`/runs/${id}`)).body;
      return usage.cost_usd === model.spentUsd && usage.llm_calls === model.answeredAt.length;
    });
    expect(await budget()).toMatchObject({ state: 'exceeded', pause_id: null });
    expect((await readAgent(person, agent)).paused).toBeNull();
  },
);
