import { endsEveryRun } from '../checks/milestones.js';
import { claimsUnderItsKey, keepsToAnEnd, namesItsRuns } from '../checks/runs.js';
import { type Call, isRecord } from '../evidence.js';
import type { Scenario } from '../scenario.js';
import { askedRun, deployedForRuns, ended, quickRun } from './run-steps.js';

/** Time for heartbeats that name a run whose end the service does not know yet; seconds. */
const BUSY_SECONDS = 5;

const JUDGES = [claimsUnderItsKey, endsEveryRun, keepsToAnEnd, namesItsRuns];

export const lostRunReplies: Scenario = {
  name: 'lost-run-replies',
  title:
    'the connection is cut after a claim has taken a run, and after its end was reported, for which the service then has no time',
  judges: JUDGES,
  async play(stage) {
    const { faults, runs } = stage.service;
    const deployment = await deployedForRuns(stage, JUDGES);
    if (!deployment) return;
    let isTaken = () => false;
    faults.befall('claim', { kind: 'lost' }, Infinity, () => !isTaken());
    // a claim that waits already would be answered
    runs.endClaims();
    const run = askedRun(stage, deployment);
    isTaken = () => run.takes.length > 0;
    faults.befall('reports', { kind: 'lost' }, 1, isEndReport);
    const busy = { kind: 'refused', status: 503, retryAfterSeconds: BUSY_SECONDS } as const;
    faults.befall('reports', busy, 1, isEndReport);
    stage.replicas.works.release(run);
    await stage.must(
      claimsUnderItsKey,
      'A claim took a run, its reply was lost, and the agent never got the run',
      () => run.deliveries.length > 0,
    );
    await ended(stage, run, BUSY_SECONDS * 1_000);
    await quickRun(stage, deployment);
  },
};

function isEndReport({ body }: Call): boolean {
  const { runs = [] } = (isRecord(body) ? body : {}) as { runs?: unknown[] };
  return runs.some((entry) => isRecord(entry) && /succeeded|failed|cancelled/.test(String(entry.status)));
}
