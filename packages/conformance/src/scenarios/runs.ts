import {
  carriesRunsOutOnce,
  CROSSING_MS,
  keepsToAnEnd,
  namesGivenRuns,
  namesItsRuns,
  namesTheAttempt,
  titleOfRun,
} from '../checks/runs.js';
import { endsEveryRun, takesRuns, takesWhatItCanBegin } from '../checks/milestones.js';
import { CONCURRENCY } from '../replica-config.js';
import type { Scenario } from '../scenario.js';
import type { PlayedRun } from '../service/played-runs.js';
import type { Stage } from '../stage.js';
import { beats } from './beats.js';
import { askedRun, deployedForRuns, ended, given, hasEnd } from './run-steps.js';

/** Number of runs: more than a config's concurrency. */
const ASKED = 5;
/** Heartbeats that name the runs, and in which more of them could be taken. */
const BEATS_AT_WORK = 4;

const JUDGES = [
  takesRuns,
  takesWhatItCanBegin,
  endsEveryRun,
  namesGivenRuns,
  namesItsRuns,
  namesTheAttempt,
  carriesRunsOutOnce,
  keepsToAnEnd,
];

export const runs: Scenario = {
  name: 'runs',
  title: 'more runs than the agent has room for, and their ends',
  judges: JUDGES,
  async play(stage) {
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    const all = [askedRun(stage, deployment)];
    const isSeen = await given(stage, all[0]!);
    while (all.length < ASKED) all.push(askedRun(stage, deployment));
    await stage.watch(CROSSING_MS);
    await beats(stage, BEATS_AT_WORK);
    if (isSeen) await judgeRoom(stage, all);
    else for (const rule of [takesWhatItCanBegin, carriesRunsOutOnce, namesItsRuns]) stage.spared.add(rule);
    for (const run of all) stage.replicas.works.release(run);
    for (const run of all) {
      await stage.should(takesRuns, 'It never took a run that was asked for', () => run.takes.length > 0);
      await ended(stage, run);
    }
  },
};

/** The runs that it has must be at work, and no more than its config says. */
async function judgeRoom(stage: Stage, all: readonly PlayedRun[]): Promise<void> {
  const taken = () => all.filter((run) => run.deliveries.length > 0 && !hasEnd(run));
  const idle = () => taken().filter(({ works }) => works.length === 0);
  await stage.should(
    takesWhatItCanBegin,
    () => `It took ${taken().length} runs and did not begin ${idle().map(titleOfRun).join(', ')}`,
    () => idle().length === 0,
  );
  // the limits of an agent that runs no programs are its own affair
  const isOfPrograms = all.some(({ works }) => works.some(({ isProgram }) => isProgram));
  const { length } = taken();
  if (isOfPrograms)
    stage.judge(
      takesWhatItCanBegin,
      length > CONCURRENCY
        ? `It had ${length} runs at once, with a concurrency of ${CONCURRENCY}; the last was ${titleOfRun(taken().at(-1)!)}`
        : null,
    );
}
