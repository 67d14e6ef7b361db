import { endsEveryRun, endsRunsEarly } from '../checks/milestones.js';
import { titleOfRun } from '../checks/runs.js';
import type { Scenario } from '../scenario.js';
import { askedRun, deployedForRuns, given, hasEnd, isAtWork, quickRun } from './run-steps.js';

const JUDGES = [endsRunsEarly, endsEveryRun];

export const runCancelled: Scenario = {
  name: 'run-cancelled',
  title: 'a run is cancelled while the agent has it, and another one follows',
  judges: JUDGES,
  async play(stage) {
    const { service, replicas } = stage;
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    const run = askedRun(stage, deployment);
    // work that nobody can see may be done before it is cancelled
    if (await given(stage, run)) {
      service.runs.cancel(run);
      await stage.should(
        endsRunsEarly,
        () =>
          `It was asked to end ${titleOfRun(run)}, ${isAtWork(run) ? 'whose work goes on' : 'and never said that it has ended'}`,
        () => hasEnd(run) && !isAtWork(run),
      );
    } else stage.spared.add(endsRunsEarly);
    replicas.works.release(run);
    await quickRun(stage, deployment);
  },
};
