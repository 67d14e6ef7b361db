import { dropsAbandonedRuns, endsEveryRun, registers } from '../checks/milestones.js';
import { carriesRunsOutOnce, CROSSING_MS, titleOfRun } from '../checks/runs.js';
import { type Call, nameOf } from '../evidence.js';
import type { Scenario } from '../scenario.js';
import { namedRunsIn, type PlayedRun } from '../service/played-runs.js';
import type { Stage } from '../stage.js';
import { beats } from './beats.js';
import { askedRun, deployedForRuns, ended, given, isAtWork, quickRun } from './run-steps.js';

/** Heartbeats in which the new process would name the run. */
const BEATS_AFTER_IT = 3;

const JUDGES = [dropsAbandonedRuns, carriesRunsOutOnce, endsEveryRun];

export const runRestarts: Scenario = {
  name: 'run-restarts',
  title: "the agent's process is killed while it has a run, and starts anew",
  judges: JUDGES,
  async play(stage) {
    const { service } = stage;
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    const run = askedRun(stage, deployment);
    const isSeen = await given(stage, run);
    if (!isSeen) for (const rule of [dropsAbandonedRuns, carriesRunsOutOnce]) stage.spared.add(rule);
    if (!(await stage.endAgent('killed'))) return;
    const since = service.now();
    await stage.startAgent();
    await stage.must(
      registers,
      'It did not register when its process started anew',
      () => stage.answered('register', since).length > 0,
    );
    const registration = stage.answered('register', since)[0]!;
    const isNamed = namedRunsIn(registration)?.includes(run.id) ?? false;
    if (isSeen) await judgeRun(stage, run, registration, isNamed);
    stage.replicas.works.release(run);
    if (isNamed) await ended(stage, run);
    // it may have lost its config
    await stage.obey('restart', deployment);
    await quickRun(stage, deployment);
  },
};

/** A run that the new process has not named is abandoned; one that it has named continues, or ends. */
async function judgeRun(stage: Stage, run: PlayedRun, registration: Call, isNamed: boolean): Promise<void> {
  if (isNamed) {
    stage.judge(dropsAbandonedRuns, null);
    return;
  }
  const since = registration.endedAt ?? registration.at;
  await beats(stage, BEATS_AFTER_IT);
  await stage.should(
    dropsAbandonedRuns,
    `It registered without ${titleOfRun(run)}, in ${nameOf(registration)}, and the work of the run goes on`,
    () => !isAtWork(run),
  );
  const naming = stage
    .calls('heartbeat', since + CROSSING_MS)
    .find((call) => namedRunsIn(call)?.includes(run.id));
  if (naming)
    stage.judge(
      dropsAbandonedRuns,
      `It registered without ${titleOfRun(run)}, in ${nameOf(registration)}, and still has it in ${nameOf(naming)}`,
    );
}
