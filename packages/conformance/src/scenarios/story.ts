import { KNOWN_AFTER_MS, acknowledgesEverything, reportsWhatIs } from '../checks/commands.js';
import { endsWhenTold, sendsLastHeartbeat } from '../checks/endings.js';
import {
  endsBeforeItSaysSo,
  reportsReadiness,
  restartReplacesAll,
  runsWhatIsAsked,
  scaleKeepsReplicas,
} from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import { restarted, scaled } from './replica-steps.js';

export const story: Scenario = {
  name: 'story',
  title: 'the whole life of a deployment, and nothing goes wrong',
  judges: [
    acknowledgesEverything,
    reportsWhatIs,
    reportsReadiness,
    runsWhatIsAsked,
    scaleKeepsReplicas,
    restartReplacesAll,
    endsBeforeItSaysSo,
    endsWhenTold,
    sendsLastHeartbeat,
  ],
  async play(stage) {
    const deployment = await stage.deployed();
    await stage.ready(deployment);
    await scaled(stage, deployment, 3);
    await stage.ready(deployment);
    await scaled(stage, deployment, 1);
    await restarted(stage, deployment);
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
