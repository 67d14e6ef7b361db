import { repeatsUnderItsKey } from '../checks/batches.js';
import { comesBack, executesOnce } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';
import { callIsAnswered } from './answered-again.js';

export const lostReplies: Scenario = {
  name: 'lost-replies',
  title: 'the connection is cut after a call was carried out, once for each kind of call',
  conditions: { leaseMs: 1_500 },
  judges: [comesBack, executesOnce, repeatsUnderItsKey],
  async play(stage) {
    const { faults } = stage.service;
    faults.befall('register', { kind: 'lost' });
    await stage.registered();
    faults.befall('heartbeat', { kind: 'lost' });
    await callIsAnswered(stage, comesBack, 'heartbeat', 'a heartbeat whose reply was lost');
    faults.befall('poll', { kind: 'lost' });
    const deployment = stage.deployment();
    stage.service.endPolls();
    const command = stage.order('deploy', deployment);
    faults.befall('acknowledge', { kind: 'lost' });
    await stage.obeyed(command);
    await stage.running(1);
    if (stage.replicas.isInUse) {
      const started = stage.replicas.stories.length;
      stage.judge(
        executesOnce,
        started > 1 ? `The reply to one deploy was lost, and ${started} replicas were started` : null,
      );
    }
    faults.befall('logs', { kind: 'lost' });
    await stage.obey('scale', deployment, 2);
    await stage.running(2);
    // an agent that logs nothing, or gives up a lost batch, has nothing to repeat
    await stage.comes(
      () => stage.calls('logs').some(({ trouble }, at, { length }) => trouble && at < length - 1),
      4_000,
    );
    await stage.watch(500);
  },
};
