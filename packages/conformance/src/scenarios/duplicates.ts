import { acknowledgesOnce, acknowledgesTheGiven, keepsItsWord } from '../checks/commands.js';
import { executesOnce } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

export const duplicates: Scenario = {
  name: 'duplicates',
  title: 'commands come again after they were acknowledged, and the acknowledgement is called a duplicate',
  judges: [executesOnce, keepsItsWord, acknowledgesOnce, acknowledgesTheGiven],
  async play(stage) {
    await stage.registered();
    const deployment = stage.deployment();
    const deploy = await stage.obey('deploy', deployment);
    await stage.running(1);
    await again(stage, deploy);
    const scale = await stage.obey('scale', deployment, 2);
    await stage.running(2);
    await again(stage, scale);
    await again(stage, scale);
    await stage.obey('stop', deployment);
    await stage.running(0);
    const restart = await stage.obey('restart', deployment);
    await stage.running(2);
    await again(stage, restart);
    await stage.watch(1_000);
  },
};

type Command = Parameters<Stage['obeyed']>[0];

/** Delivers the command again; it must have one effect. */
async function again(stage: Stage, command: Command): Promise<void> {
  const { replicas, service } = stage;
  const started = replicas.stories.length;
  const ended = () => replicas.stories.filter(({ endedAt }) => endedAt !== null).length;
  const endedBefore = ended();
  const deliveries = command.deliveries.length;
  service.queue.deliverAgain(command);
  await stage.must(
    executesOnce,
    `It never took ${command.action} a second time`,
    () => command.deliveries.length > deliveries,
  );
  await stage.obeyed(command);
  if (!replicas.isInUse) return;
  // a wrongly started program is visible within this time
  await stage.watch(700);
  const more = replicas.stories.length - started;
  const fewer = ended() - endedBefore;
  const wrong = more > 0 || fewer > 0;
  stage.judge(
    executesOnce,
    wrong
      ? `${command.action} came a second time, and ${more} replicas were started and ${fewer} ended`
      : null,
  );
}
