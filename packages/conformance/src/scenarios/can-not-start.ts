import { saysWhatCanNotStart } from '../checks/milestones.js';
import { isRecord } from '../evidence.js';
import type { Scenario } from '../scenario.js';

export const canNotStart: Scenario = {
  name: 'can-not-start',
  title: 'a restart whose replicas can not be started, and one that works',
  judges: [saysWhatCanNotStart],
  async play(stage) {
    const { replicas } = stage;
    const deployment = await stage.deployed();
    if (!replicas.isInUse) return;
    replicas.refuseAll(true);
    stage.use({ isImpossible: true });
    const command = await stage.obey('restart', deployment);
    const saysNo = () =>
      command.acknowledgements.some(
        ({ call, success }) => success === false && isRecord(call.body) && isText(call.body.error),
      );
    // an agent takes such a replica for started and crashed, and starts it again and again
    const isTriedAgain = () => replicas.refused > deployment.replicas;
    await stage.should(
      saysWhatCanNotStart,
      'A restart could not start anything: it neither acknowledged it with success false and an error, nor tried again',
      () => saysNo() || isTriedAgain(),
    );
    replicas.refuseAll(false);
    stage.use({});
    await stage.obey('restart', deployment);
    await stage.running(1);
    await stage.ready(deployment);
  },
};

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
