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
 * A small fleet with everything that goes wrong in a large one: wrong clocks, lost replies, requests sent twice.
 * The simulator compares what people, agents and database have seen; here it must find nothing to complain of.
 */
const SERVICE = join(import.meta.dirname, '../../dist/service/main.js');
/** Ten seconds on an idle machine; what must happen is fixed, so a busy one takes many times as long. */
const TIME_LIMIT_MS = 600_000;
/**
 * All belong to one person, whose changes take turns: after a restart or a storm each agent has some to tell at once,
 * which a busy machine must not make so many that commands can't be acknowledged.
 */
const AGENTS = { storm: 50, restart: 30 };

function planFor(scenario: keyof typeof AGENTS): Plan {
  return planOf({
    scenario,
    agents: AGENTS[scenario],
    seconds: 2.5,
    leastWishes: 40,
    mayRefuse: true,
    spreadSeconds: 0.5,
    pollWaitSeconds: 20,
    // On a busy machine some replies take very long, and none shall count as lost for that.
    replySeconds: 90,
    logSeconds: 2,
    metricSeconds: 2,
    keyedBatches: 0.7,
    keyedStarts: 1,
    commandsPerSecond: scenario === 'restart' ? 10 : 25,
    outageSeconds: 1,
    // Lost after four of them: a busy machine must not lose an agent. While leases run out nothing else is sent.
    heartbeatSeconds: 10,
    // A command that is not acknowledged in five of them is dead: a busy machine must not make one so.
    leaseSeconds: 15,
    faults: { lostReplies: 0.02, duplicates: 0.05, failures: 0.05, clockSkewMs: 3_600_000 },
  });
}

const settingsFor = (plan: Plan) => ({ ...settingsOf(plan), MONITOR_INTERVAL_SECONDS: '1' });

/** Settles when no fleet is at work any more: those that have played before at most wait for leases to end. */
let turn: Promise<void> = Promise.resolve();

/** Plays when it is this play's turn. A lost reply costs the time of a lease, in which the next fleet can work. */
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

/** Plays on two instances in this process: people use the first, agents the second. */
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

async function playInAnotherProcess(plan: Plan, recorder: Recorder): Promise<Outcome> {
  const database = await createTestDatabase();
  const stage = await ProcessStage.open({
    main: SERVICE,
    instances: 1,
    apart: false,
    environment: {
      ...settingsFor(plan),
      DATABASE_URL: socketUrl(database.target),
      JWT_SECRET: 'a secret for tests, of more than thirty-two bytes',
      BCRYPT_COST: '4',
    },
    query: database.query,
  });
  try {
    return await runScenario(stage, plan, recorder);
  } finally {
    await stage.close();
    await database.drop();
  }
}

function expectKeptPromises(outcome: Outcome): void {
  expect(outcome.problems).toEqual([]);
  expect(outcome.losses.false).toBe(0);
  expect(outcome.commands).toMatchObject({ due: 0 });
  // Else nothing has been shown.
  expect(outcome.commands.executedOnce).toBeGreaterThan(20);
  expect(outcome.logs.stored).toBeGreaterThan(100);
  expect(outcome.metrics.stored).toBeGreaterThan(30);
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
