import { carriesOut } from '../checks/commands.js';
import { runsWhatIsAsked } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

export const unknownDeployments: Scenario = {
  name: 'unknown-deployments',
  title: 'stop, kill, scale and restart of deployments that the agent knows nothing of',
  judges: [carriesOut, runsWhatIsAsked],
  async play(stage) {
    await stage.registered();
    for (const action of ['stop', 'kill'] as const) await stage.obey(action, stage.deployment());
    const scaled = stage.deployment();
    await stage.obey('scale', scaled, 2);
    await stage.running(2);
    const restarted = stage.deployment();
    await stage.obey('restart', restarted);
    await stage.running(3);
    await stage.ready(scaled);
    await stage.ready(restarted);
  },
};
