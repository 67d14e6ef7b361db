import { endsEveryRun, letsRunsFinish } from '../checks/milestones.js';
import { titleOfRun } from '../checks/runs.js';
import type { Scenario } from '../scenario.js';
import { beats } from './beats.js';
import { askedRun, deployedForRuns, ended, given, isAtWork, quickRun } from './run-steps.js';

/** Heartbeats in which the work of a run would be ended. */
const BEATS_AFTER_IT = 2;

const JUDGES = [letsRunsFinish, endsEveryRun];

export const runRollingRestart: Scenario = {
  name: 'run-rolling-restart',
  title: 'a rolling restart comes while the agent has a run',
  judges: JUDGES,
  async play(stage) {
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    const run = askedRun(stage, deployment);
    const isSeen = await given(stage, run);
    await stage.obeyed(stage.roll(deployment));
    if (isSeen) {
      await beats(stage, BEATS_AFTER_IT);
      stage.judge(
        letsRunsFinish,
        isAtWork(run) ? null : `It ended the work of ${titleOfRun(run)} for a rolling restart`,
      );
    } else stage.spared.add(letsRunsFinish);
    stage.replicas.works.release(run);
    await ended(stage, run);
    if (isSeen) {
      const [end] = run.ends;
      stage.judge(
        letsRunsFinish,
        end && end.status !== 'succeeded'
          ? `It reported ${titleOfRun(run)}, which was under way at a rolling restart, as ${end.status}`
          : null,
      );
    }
    await quickRun(stage, deployment);
  },
};
