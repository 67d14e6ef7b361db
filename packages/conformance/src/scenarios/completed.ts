import { completesWhatIsDone, replacesTheDead } from '../checks/milestones.js';
import { type Call, nameOf, reportsOf } from '../evidence.js';
import type { Scenario } from '../scenario.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';
import { beats, orBeats } from './beats.js';

/** Number of heartbeats in which a replica that has ended well would be started again, or reported too early. */
const BEATS_AFTER_AN_END = 3;

export const completed: Scenario = {
  name: 'completed',
  title: 'the work of the replicas is done: one after another ends well, and one crashes before',
  judges: [completesWhatIsDone, replacesTheDead],
  async play(stage) {
    const { replicas } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    stage.use({ mayComplete: true });
    await stage.obey('deploy', deployment, 2);
    await stage.running(2);
    await stage.ready(deployment);
    if (!replicas.isInUse) return;
    let started = replicas.stories.length;
    const isStartedAgain = () => replicas.stories.length > started;
    replicas.finishOne();
    await orBeats(stage, isStartedAgain, BEATS_AFTER_AN_END);
    if (isStartedAgain()) return isForEver(stage);
    replicas.crashOne();
    await stage.should(
      replacesTheDead,
      'A replica crashed beside one that had ended well, and none was started again',
      isStartedAgain,
    );
    await beats(stage, 1);
    if (replicas.alive > 1) return isForEver(stage);
    started = replicas.stories.length;
    const doneAt = stage.service.now();
    replicas.finishOne();
    await stage.should(
      completesWhatIsDone,
      'Every replica has ended well: it neither reported the deployment as completed nor started one again',
      () => completedReports(stage, deployment).length > 0 || isStartedAgain(),
    );
    await beats(stage, BEATS_AFTER_AN_END);
    if (isStartedAgain() && completedReports(stage, deployment).length === 0) return isForEver(stage);
    judgeReports(stage, deployment, doneAt);
    stage.judge(
      completesWhatIsDone,
      isStartedAgain() ? 'It started a replica again when every one had ended well' : null,
    );
    deployment.status = 'stopped';
    await stage.obey('restart', deployment);
    await stage.running(2);
    await stage.ready(deployment);
  },
};

/** An agent whose replicas work for ever starts each of them again. */
async function isForEver(stage: Stage): Promise<void> {
  stage.spared.add(completesWhatIsDone);
  await stage.running(2);
  stage.judge(replacesTheDead, null);
}

function judgeReports(stage: Stage, deployment: Deployment, doneAt: number): void {
  const reports = completedReports(stage, deployment);
  const early = reports.find(({ at }) => at < doneAt);
  if (early)
    stage.judge(
      completesWhatIsDone,
      `It reported the deployment as completed while a replica was at work, in ${nameOf(early)}`,
    );
  const [first] = reports;
  const later = reportsOf(stage.service).find(
    ({ call, report }) =>
      first !== undefined &&
      call.at > first.at &&
      report.deployment_id === deployment.id &&
      report.status !== 'completed',
  );
  if (later)
    stage.judge(
      completesWhatIsDone,
      `It reported the deployment as ${String(later.report.status)} after it was completed, in ${nameOf(later.call)}`,
    );
}

function completedReports(stage: Stage, deployment: Deployment): Call[] {
  return reportsOf(stage.service)
    .filter(({ report }) => report.deployment_id === deployment.id && report.status === 'completed')
    .map(({ call }) => call);
}
