import { setTimeout as delay } from 'node:timers/promises';
import { checkCommands } from './checks/commands-check.js';
import type { Evidence } from './checks/evidence.js';
import { checkHistory } from './checks/history-check.js';
import { checkLiveness } from './checks/liveness-check.js';
import { differingStatuses, dueCommands } from './checks/statuses-check.js';
import { checkRuns, heldRuns } from './checks/runs-check.js';
import { checkSpans, uncountedUsage } from './checks/spans-check.js';
import { checkTelemetry } from './checks/telemetry-check.js';
import { enrol } from './enrolment.js';
import { Fleet } from './fleet.js';
import { commandLatency, type Outcome } from './outcome.js';
import { Person } from './person.js';
import { EVENTS, type Plan } from './plan.js';
import { isRough, type Recorder } from './recorder.js';
import { RunDriver } from './run-driver.js';
import type { Ending, Stage } from './stage.js';
import { UserDriver } from './user-driver.js';

const START_TIMEOUT_MS = 120_000;
/** Time within which every agent that starts in a storm must be answered. */
const START_LIMIT_MS = 60_000;
const RECOVERY_TIMEOUT_MS = 180_000;
const LOOK_EVERY_MS = 250;

/**
 * Plays a plan on a stage: enrols the fleet, lets people and agents work, does what the scenario says in the middle,
 * lets everything settle, and compares what both sides have seen.
 */
export async function runScenario(stage: Stage, plan: Plan, recorder: Recorder): Promise<Outcome> {
  const person = new Person(stage.userUrl, recorder, plan.replySeconds * 1_000);
  await person.register();
  const identities = await enrol(stage, person, plan.agents);
  const fleet = new Fleet(identities, stage.agentUrls, plan, recorder);
  const agentIds = identities.map(({ id }) => id);
  const driver = new UserDriver(person, agentIds, recorder, plan.seed);
  const evidence: Evidence = { plan, stage, fleet, driver, person };
  try {
    recorder.enterPhase('start');
    const missing = await fleet.start(plan.spreadSeconds * 1_000 + START_TIMEOUT_MS);
    if (missing > 0)
      throw new Error(`${missing} agents did not get to their first heartbeat${told(recorder)}`);
    const recovery = await work(evidence, recorder);
    await settle(evidence, recorder);
    const found = await compare(evidence, recorder);
    const endings = await end(evidence, recorder);
    judgeErrors(plan, recorder);
    const { phases, failures } = recorder;
    return { ...found, ...recovery, endings, phases, failures, problems: recorder.problems() };
  } finally {
    await fleet.disconnect();
    person.close();
  }
}

function told({ phase }: Recorder): string {
  const errors = [...phase.errors].map(([kind, count]) => `${count} ${kind}`);
  return errors.length === 0 ? '' : ` (${errors.join(', ')})`;
}

type Recovery = Pick<Outcome, 'recoveredMs' | 'startsAnsweredMs'>;

async function work(evidence: Evidence, recorder: Recorder): Promise<Recovery> {
  const { plan, driver, fleet, person } = evidence;
  const events = EVENTS[plan.scenario];
  const partMs = (plan.seconds * 1_000) / (events.length + 1);
  const leastInAPart = plan.leastWishes / (events.length + 1);
  const part = async (number: number) => {
    await delay(partMs);
    while (driver.wishes.length < number * leastInAPart) await delay(LOOK_EVERY_MS);
  };
  const shift = new AbortController();
  const asking = new RunDriver(person, driver.deployed, fleet.runs, recorder, plan.seed);
  const done = Promise.all([
    driver.run(plan.commandsPerSecond, shift.signal),
    plan.runsPerSecond > 0 ? asking.run(plan.runsPerSecond, shift.signal) : undefined,
  ]);
  const recovered: Recovery = { recoveredMs: null, startsAnsweredMs: null };
  try {
    recorder.enterPhase('steady');
    await part(1);
    for (const [index, event] of events.entries()) {
      await happen(event, evidence, recorder);
      Object.assign(recovered, await recovery(event, recovered, fleet, recorder));
      recorder.enterPhase(`after the ${event}`);
      await part(index + 2);
    }
  } finally {
    shift.abort();
    await done;
  }
  return recovered;
}

async function happen(event: 'restart' | 'storm', evidence: Evidence, recorder: Recorder): Promise<void> {
  const { plan, stage, fleet } = evidence;
  if (event === 'storm') {
    recorder.enterPhase('storm');
    fleet.storm();
    return;
  }
  recorder.enterPhase('outage');
  if (!stage.restart) throw new Error('This stage can not restart the service');
  recorder.isAway();
  await stage.restart(plan.outageSeconds * 1_000);
  recorder.isBack();
}

async function recovery(
  event: 'restart' | 'storm',
  before: Recovery,
  fleet: Fleet,
  recorder: Recorder,
): Promise<Partial<Recovery>> {
  const since = Date.now();
  const starts = event === 'storm' ? await startsSince(since, fleet, recorder) : {};
  const missing = await fleet.missingSince(since, RECOVERY_TIMEOUT_MS);
  if (missing > 0)
    recorder.violated('agents did not come back', `${missing} within ${RECOVERY_TIMEOUT_MS} ms`);
  return { recoveredMs: Math.max(before.recoveredMs ?? 0, Date.now() - since), ...starts };
}

/** Interval at which the agents are checked. They keep the exact times themselves. */
async function startsSince(since: number, fleet: Fleet, recorder: Recorder): Promise<Partial<Recovery>> {
  const missing = await fleet.notStartedSince(since, START_LIMIT_MS);
  if (missing > 0)
    recorder.violated('starts were not answered in time', `${missing} within ${START_LIMIT_MS / 1_000} s`);
  return { startsAnsweredMs: missing > 0 ? null : fleet.lastStartAt() - since };
}

/**
 * Time until each command must be done, each status must match its runtime's, and all usage must be counted. A lost delivery needs its
 * lease to end; the usage that a killed service has left is counted after half a minute.
 */
async function settle(evidence: Evidence, recorder: Recorder): Promise<void> {
  recorder.enterPhase('settle');
  await evidence.fleet.endTelemetry();
  const end = Date.now() + (3 * evidence.plan.leaseSeconds + 15) * 1_000;
  for (;;) {
    const due = await dueCommands(evidence);
    const held = due > 0 ? 0 : await heldRuns(evidence);
    const uncounted = due + held > 0 ? 0 : await uncountedUsage(evidence);
    const differing = due + held > 0 ? [] : await differingStatuses(evidence);
    if (due + held + uncounted === 0 && differing.length === 0) return;
    if (Date.now() > end) {
      if (due > 0) recorder.violated('commands are still due', String(due));
      if (held > 0) recorder.violated('runs have not ended', String(held));
      if (uncounted > 0) recorder.violated('usage is not counted', String(uncounted));
      for (const line of differing) recorder.violated('a status is not what its runtime says', line);
      return;
    }
    await delay(LOOK_EVERY_MS);
  }
}

async function compare(evidence: Evidence, recorder: Recorder) {
  const violate = recorder.violated.bind(recorder);
  const { driver, fleet } = evidence;
  const told = fleet.agents.map((agent) => agent.intervalMs / 1_000).sort((one, other) => one - other);
  return {
    toldSeconds: [told[0] ?? 0, told.at(-1) ?? 0] as const,
    commands: await checkCommands(evidence, violate),
    runs: await checkRuns(evidence, violate),
    events: await checkHistory(evidence, violate),
    losses: await checkLiveness(evidence, violate),
    logs: await checkTelemetry(evidence, 'logs', violate),
    metrics: await checkTelemetry(evidence, 'metrics', violate),
    spans: await checkSpans(evidence, violate),
    tooLate: driver.tooLate,
    heldBack: driver.heldBack,
    latency: commandLatency(driver, fleet),
  };
}

/** The service ends with all polls waiting: each must get its answer. */
async function end({ stage, fleet }: Evidence, recorder: Recorder): Promise<Ending[]> {
  if (!stage.shutDown) return [];
  recorder.enterPhase('shutdown');
  const left = fleet.leave();
  const endings = await stage.shutDown();
  await left;
  for (const { exitCode } of endings) {
    if (exitCode !== 0) recorder.violated('the service did not end cleanly', `exit code ${exitCode}`);
  }
  return endings;
}

/** Late requests of people and closed idle connections are not the service's fault. */
const HARMLESS = /^(scale|restart): 400$|: stale$/;
/** Refusals with `Retry-After` are allowed when all agents start at once. */
const REFUSED = /: (429|503)$/;

/** Without an incident no call may fail. */
function judgeErrors({ mayRefuse }: Plan, recorder: Recorder): void {
  for (const phase of recorder.phases) {
    const { name, errors } = phase;
    if (isRough(phase)) continue;
    for (const [kind, count] of errors) {
      const isExpected = HARMLESS.test(kind) || ((mayRefuse || name === 'start') && REFUSED.test(kind));
      if (!isExpected) recorder.violated(`calls failed in phase ${name}`, `${count} ${kind}`);
    }
  }
}
