import { replacesTheDead } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

export const replicaDies: Scenario = {
  name: 'replica-dies',
  title: 'a replica ends by itself',
  judges: [replacesTheDead],
  async play(stage) {
    const { replicas } = stage;
    await stage.registered();
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment, 2);
    await stage.running(2);
    await stage.ready(deployment);
    if (!replicas.isInUse) return;
    const before = replicas.stories.length;
    replicas.crashOne();
    await stage.should(
      replacesTheDead,
      () => `One of 2 replicas ended, and ${replicas.alive} run`,
      () => replicas.stories.length > before && replicas.alive === 2,
    );
  },
};
