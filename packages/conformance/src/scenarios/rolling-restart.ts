import {
  readyAfterTheLast,
  replacesOneByOne,
  reportsReadiness,
  restartReplacesAll,
} from '../checks/milestones.js';
import { titleOf } from '../checks/commands.js';
import { CROSSING_MS } from '../checks/runs.js';
import { nameOf, type ReplicaStory } from '../evidence.js';
import { readyReport } from '../readiness-reports.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import { beats } from './beats.js';

const REPLICAS = 2;
/** Number of heartbeats in which an agent that does not wait for a new replica ends the next one. */
const BEATS_UNREADY = 3;

export const rollingRestart: Scenario = {
  name: 'rolling-restart',
  title: 'replicas are replaced one after another, and the first new one takes some time until it is ready',
  judges: [replacesOneByOne, readyAfterTheLast, restartReplacesAll, reportsReadiness],
  async play(stage) {
    const { replicas, service } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    stage.use({ hasReadiness: true });
    await stage.obey('deploy', deployment, REPLICAS);
    await stage.running(REPLICAS);
    await stage.ready(deployment);
    const older = replicas.stories.filter(({ endedAt }) => endedAt === null);
    const isOfItsOwn = replicas.isOfPrograms && !replicas.isAskedForReadiness;
    replicas.hold();
    const command = stage.roll(deployment);
    const isReplacing = () => replicas.stories.length > REPLICAS;
    await stage.comes(() => isReplacing() || Boolean(stage.agent?.end), stage.patienceMs);
    await beats(stage, BEATS_UNREADY);
    if (isOfItsOwn) for (const rule of [replacesOneByOne, readyAfterTheLast]) stage.spared.add(rule);
    else if (isReplacing()) judgeTheFirst(stage, older);
    replicas.release();
    await stage.obeyed(command);
    await stage.should(
      restartReplacesAll,
      () => `${older.filter(isAlive).length} replicas of before the ${titleOf(command)} still run`,
      () => !older.some(isAlive),
    );
    await stage.running(REPLICAS);
    await stage.ready(deployment);
    if (isOfItsOwn || !isReplacing()) return;
    // a heartbeat may be on its way with the state before the command
    const known = (command.deliveries[0]?.at ?? 0) + CROSSING_MS;
    const early = readyReport(service, deployment, known);
    const lastEndedAt = Math.max(...older.map(({ endedAt }) => endedAt ?? Infinity));
    stage.judge(
      readyAfterTheLast,
      early && early.at < lastEndedAt
        ? `It reported ${REPLICAS} ready replicas while one of before the ${titleOf(command)} still ran, in ${nameOf(early)}`
        : null,
    );
  },
};

/** While the first new replica is not ready, all older ones but one must continue. */
function judgeTheFirst(stage: Stage, older: readonly ReplicaStory[]): void {
  const ended = older.filter(({ endedAt, askedAt }) => endedAt !== null || askedAt !== null).length;
  stage.judge(
    replacesOneByOne,
    ended > 1 ? `It ended ${ended} of ${older.length} replicas before a new one was ready` : null,
  );
}

function isAlive({ endedAt }: ReplicaStory): boolean {
  return endedAt === null;
}
