import { KNOWN_AFTER_MS } from '../checks/commands.js';
import type { Scenario } from '../scenario.js';

export const story: Scenario = {
  name: 'story',
  title: 'the whole life of a deployment, and nothing goes wrong',
  async play(stage) {
    await stage.registered();
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment);
    await stage.running(1);
    await stage.ready(deployment);
    await stage.obey('scale', deployment, 3);
    await stage.running(3);
    await stage.ready(deployment);
    await stage.obey('scale', deployment, 1);
    await stage.running(1);
    await stage.obey('stop', deployment);
    await stage.running(0);
    await stage.watch(KNOWN_AFTER_MS);
    await stage.obey('restart', deployment, 2);
    await stage.running(2);
    await stage.ready(deployment);
    await stage.obey('kill', deployment);
    await stage.running(0);
    await stage.watch(KNOWN_AFTER_MS);
  },
};
