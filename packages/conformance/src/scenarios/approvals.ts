import { asksUnderOneKey } from '../checks/approvals.js';
import { actsAsDecided, endsEveryRun, takesRuns } from '../checks/milestones.js';
import { titleOfRun } from '../checks/runs.js';
import type { Scenario } from '../scenario.js';
import type { PlayedApproval } from '../service/played-approvals.js';
import type { PlayedRun } from '../service/played-runs.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';
import { beats } from './beats.js';
import { askedRun, comesWithin, deployedForRuns, ended, hasEnd } from './run-steps.js';

/** Heartbeats in which the work would begin that nobody has approved. */
const BEATS_UNTIL_A_DECISION = 3;
/** The question that the input of a run tells the agent to ask. */
const APPROVAL = {
  title: 'Make the request',
  action: { name: 'make_request', args: { count: 1, why: 'é' } },
};

const JUDGES = [asksUnderOneKey, actsAsDecided, endsEveryRun];

export const approvals: Scenario = {
  name: 'approvals',
  title: 'runs whose work people approve or reject first; a reply to a question is lost',
  judges: JUDGES,
  async play(stage) {
    const { service, replicas } = stage;
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    service.faults.befall('ask', { kind: 'lost' });
    const run = askedRun(stage, deployment, { approval: APPROVAL });
    const question = await asked(stage, run);
    if (!question) {
      for (const rule of [asksUnderOneKey, actsAsDecided]) stage.spared.add(rule);
      replicas.works.release(run);
      await ended(stage, run);
      return;
    }
    await stage.should(
      asksUnderOneKey,
      'The reply to its question was lost, and no later one was answered',
      () => stage.calls('ask').some(({ status, trouble }) => status === 201 && trouble === null),
    );
    await beats(stage, BEATS_UNTIL_A_DECISION);
    stage.judge(
      actsAsDecided,
      run.works.length > 0 ? `It began the work of ${titleOfRun(run)} before anybody had decided` : null,
    );
    service.approvals.decide(question, 'approved');
    await stage.should(
      actsAsDecided,
      () => `${titleOfRun(run)} was approved, and its work never began`,
      () => run.works.length > 0,
    );
    replicas.works.release(run);
    await ended(stage, run);
    await rejected(stage, deployment);
  },
};

/** Waits until the agent has asked about the run, or does its work without. */
async function asked(stage: Stage, run: PlayedRun): Promise<PlayedApproval | undefined> {
  await stage.must(takesRuns, 'It never took a run that was asked for', () => run.deliveries.length > 0);
  const question = () => stage.service.approvals.ofRun(run.id);
  await comesWithin(stage, () => question() !== undefined || run.works.length > 0 || hasEnd(run));
  return question();
}

async function rejected(stage: Stage, deployment: Deployment): Promise<void> {
  const run = askedRun(stage, deployment, { approval: APPROVAL });
  const question = await asked(stage, run);
  if (question) stage.service.approvals.decide(question, 'rejected');
  stage.replicas.works.release(run);
  await ended(stage, run);
  stage.judge(
    actsAsDecided,
    run.works.length > 0 ? `It did the work of ${titleOfRun(run)}, which was rejected` : null,
  );
}
