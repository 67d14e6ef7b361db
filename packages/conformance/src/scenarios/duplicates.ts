import { acknowledgesOnce, acknowledgesTheGiven, keepsItsWord } from '../checks/commands.js';
import { executesOnce } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import type { PlayedCommand } from '../service/played-queue.js';
import type { Stage } from '../stage.js';
import { deliveredAgain } from './delivered-again.js';

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

async function again(stage: Stage, command: PlayedCommand): Promise<void> {
  const breach = await deliveredAgain(stage, command);
  if (stage.replicas.isInUse) stage.judge(executesOnce, breach);
}
