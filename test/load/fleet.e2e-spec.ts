import { join } from 'node:path';
import { socketUrl } from '../../bench/fleet/bench-database.js';
import type { Outcome } from '../../bench/fleet/outcome.js';
import { type Plan, planOf, settingsOf } from '../../bench/fleet/plan.js';
import { ProcessStage } from '../../bench/fleet/process-stage.js';
import { Recorder } from '../../bench/fleet/recorder.js';
import { runScenario } from '../../bench/fleet/scenario.js';
import { startTestApp } from '../harness/test-app.js';
import { createTestDatabase } from '../harness/test-database.js';

/**
 * A small fleet with all faults of a large one: wrong clocks, lost replies, duplicate requests. The simulator compares
 * the records of people, agents and database; here it must find no difference.
 */
const SERVICE = join(import.meta.dirname, '../../dist/service/main.js');
/** Ten seconds on an idle machine; the work is fixed, so a busy one takes many times as long. */
const TIME_LIMIT_MS = 600_000;
/**
 * All belong to one person, whose changes run one after the other: after a restart each agent has some to report at
 * once, and on a busy machine they must not be so many that commands can't be acknowledged.
 */
const AGENTS = { storm: 30, restart: 20 };

function planFor(scenario: keyof typeof AGENTS): Plan {
  return planOf({
    scenario,
    agents: AGENTS[scenario],
    seconds: 2.5,
    leastWishes: 40,
    mayRefuse: true,
    spreadSeconds: 0.5,
    pollWaitSeconds: 20,
    // On a busy machine some replies take very long, and must not count as lost.
    replySeconds: 90,
    logSeconds: 2,
    metricSeconds: 2,
    keyedBatches: 0.7,
    keyedStarts: 1,
    commandsPerSecond: scenario === 'restart' ? 10 : 25,
    runsPerSecond: 15,
    // of each run
    spansPerSecond: 600,
    outageSeconds: 1,
    // An agent is lost after four of them, which must not happen on a busy machine. While leases expire nothing else is
    // sent.
    heartbeatSeconds: 10,
    // A command without an acknowledgement in five of them is dead, which must not happen on a busy machine.
    leaseSeconds: 15,
    faults: { lostReplies: 0.02, duplicates: 0.05, failures: 0.05, clockSkewMs: 3_600_000 },
  });
}

const settingsFor = (plan: Plan) => ({ ...settingsOf(plan), MONITOR_INTERVAL_SECONDS: '1' });

/** Resolves when no fleet is working; earlier ones at most wait for leases to end. */
let turn: Promise<void> = Promise.resolve();

/** Plays after the earlier plays. A lost reply costs the time of a lease, in which the next fleet can work. */
async function inTurn(play: (recorder: Recorder) => Promise<Outcome>): Promise<Outcome> {
  const { promise: settling, resolve: passOn } = Promise.withResolvers<void>();
  const before = turn;
  turn = settling;
  await before;
  try {
    return await play(new Recorder((phase) => phase === 'settle' && passOn()));
  } finally {
    passOn();
  }
}

/** Plays on two instances in this process: people use the first one, agents the second one. */
async function playOnTwoInstances(plan: Plan, recorder: Recorder): Promise<Outcome> {
  const database = await createTestDatabase();
  const settings = settingsFor(plan);
  const apps = await Promise.all([1, 2].map(() => startTestApp({ settings, database })));
  try {
    const [userUrl, agentUrl] = apps.map(({ url }) => url);
    const stage = { userUrl: userUrl!, agentUrls: [agentUrl!], query: database.query };
    return await runScenario(stage, plan, recorder);
  } finally {
    for (const app of apps) await app.close();
    await database.drop();
  }
}

/** Plays on an instance of its own, with telemetry in a second database. */
async function playInAnotherProcess(plan: Plan, recorder: Recorder): Promise<Outcome> {
  const database = await createTestDatabase();
  const telemetry = await createTestDatabase('template0');
  const stage = await ProcessStage.open({
    main: SERVICE,
    instances: 1,
    apart: false,
    environment: {
      ...settingsFor(plan),
      DATABASE_URL: socketUrl(database.target),
      TELEMETRY_DATABASE_URL: socketUrl(telemetry.target),
      JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
      BCRYPT_COST: '4',
    },
    query: database.query,
    queryTelemetry: telemetry.query,
  });
  try {
    return await runScenario(stage, plan, recorder);
  } finally {
    await stage.close();
    await database.drop();
    await telemetry.drop();
  }
}

function expectKeptPromises(outcome: Outcome): void {
  expect(outcome.problems).toEqual([]);
  expect(outcome.losses.false).toBe(0);
  expect(outcome.commands).toMatchObject({ due: 0 });
  // Otherwise the test would prove nothing.
  expect(outcome.commands.executedOnce).toBeGreaterThan(20);
  expect(outcome.runs.succeeded).toBeGreaterThan(5);
  expect(outcome.logs.stored).toBeGreaterThan(100);
  expect(outcome.metrics.stored).toBeGreaterThan(30);
  expect(outcome.spans.stored).toBeGreaterThan(200);
  expect(outcome.spans.used.llm_calls).toBeGreaterThan(100);
}

describe('A fleet', () => {
  it.concurrent(
    'finds every promise kept when commands are made on one instance and polled on another, and all agents restart at the same moment',
    async () => {
      const plan = planFor('storm');
      const outcome = await inTurn((recorder) => playOnTwoInstances(plan, recorder));
      expectKeptPromises(outcome);
      expect(outcome.recoveredMs).not.toBeNull();
    },
    TIME_LIMIT_MS,
  );

  it.concurrent(
    'finds every promise kept when the service is killed and started again, and then ended while polls wait',
    async () => {
      const plan = planFor('restart');
      const outcome = await inTurn((recorder) => playInAnotherProcess(plan, recorder));
      expectKeptPromises(outcome);
      expect(outcome.endings).toMatchObject([{ exitCode: 0 }]);
    },
    TIME_LIMIT_MS,
  );
});
