import { tellsNewsAtOnce } from '../checks/milestones.js';
import { isReportedReady } from '../readiness-reports.js';
import type { Scenario } from '../scenario.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';

/** Long enough to distinguish a heartbeat that is due from one with news; seconds. */
const INTERVAL_SECONDS = 12;
/** Time for news on a machine with other work; milliseconds. */
const AT_ONCE_MS = 5_000;

export const news: Scenario = {
  name: 'news',
  title: 'the heartbeat interval is long, and replicas become ready within it',
  conditions: { intervalSeconds: INTERVAL_SECONDS },
  judges: [tellsNewsAtOnce],
  async play(stage) {
    await stage.registered();
    // the next one without news is due an interval later
    await stage.comes(() => stage.answered('heartbeat').length > 0, stage.patienceMs);
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment);
    await stage.running(1);
    await told(stage, deployment);
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
    await told(stage, deployment);
  },
};

async function told(stage: Stage, deployment: Deployment): Promise<void> {
  const { replicas } = deployment;
  await stage.should(
    tellsNewsAtOnce,
    `${replicas} replicas were ready, and no heartbeat said so within ${AT_ONCE_MS / 1_000} s, at an interval of ${INTERVAL_SECONDS} s`,
    () => isReportedReady(stage.service, deployment),
    AT_ONCE_MS,
  );
}
