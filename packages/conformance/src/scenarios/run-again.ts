import { endsEveryRun, endsOlderAttempts } from '../checks/milestones.js';
import { carriesRunsOutOnce, keepsToAnEnd, titleOfRun } from '../checks/runs.js';
import type { Scenario } from '../scenario.js';
import { askedRun, deployedForRuns, ended, given, givenAgain } from './run-steps.js';

const JUDGES = [endsOlderAttempts, carriesRunsOutOnce, keepsToAnEnd, endsEveryRun];

export const runAgain: Scenario = {
  name: 'run-again',
  title: 'the service gives up an attempt of a run that goes on, and gives the run again',
  judges: JUDGES,
  async play(stage) {
    const { service, replicas } = stage;
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    const run = askedRun(stage, deployment);
    const isSeen = await given(stage, run);
    service.runs.giveUp(run);
    // one that has room for a single run takes the next attempt when the work of the older one is done
    const isAgain = await givenAgain(stage, run);
    if (isSeen && isAgain) {
      const [older, newer] = [() => run.works[0]?.endedAt ?? null, () => run.works[1]];
      await stage.should(
        endsOlderAttempts,
        () =>
          `It was given ${titleOfRun(run)} again, and ${older() === null ? 'the work of the older attempt goes on' : 'never began the newer one'}`,
        () => older() !== null && newer() !== undefined,
      );
      const began = newer();
      const isBeside = began !== undefined && (older() ?? Infinity) > began.startedAt;
      const breach = `It began an attempt of ${titleOfRun(run)} beside the older one`;
      stage.judge(endsOlderAttempts, isBeside ? breach : null);
    } else stage.spared.add(endsOlderAttempts);
    if (!isSeen) stage.spared.add(carriesRunsOutOnce);
    replicas.works.release(run);
    await ended(stage, run);
  },
};
