import { restartReplacesAll, scaleKeepsReplicas } from '../checks/milestones.js';
import type { Deployment } from '../service/played-state.js';
import type { Stage } from '../stage.js';

/** Scales a running deployment: replicas that can stay must stay. */
export async function scaled(stage: Stage, deployment: Deployment, replicas: number): Promise<void> {
  const before = stage.replicas.ended;
  const most = Math.max(0, deployment.replicas - replicas);
  const alive = stage.replicas.alive - deployment.replicas + replicas;
  await stage.obey('scale', deployment, replicas);
  await stage.running(alive);
  if (!stage.replicas.isInUse) return;
  const more = stage.replicas.ended - before - most;
  stage.judge(
    scaleKeepsReplicas,
    more > 0 ? `For a scale to ${replicas} it ended ${more} replicas more than it had to` : null,
  );
}

/** Restarts the only running deployment: no older replica may remain. */
export async function restarted(stage: Stage, deployment: Deployment): Promise<void> {
  const old = stage.replicas.stories.filter(({ endedAt }) => endedAt === null);
  const left = () => old.filter(({ endedAt }) => endedAt === null).length;
  await stage.obey('restart', deployment);
  if (stage.replicas.isInUse)
    await stage.should(
      restartReplacesAll,
      () => `${left()} replicas of before the restart still run`,
      () => left() === 0,
    );
  await stage.running(deployment.replicas);
}
