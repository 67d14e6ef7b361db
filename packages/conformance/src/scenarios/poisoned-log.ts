import { dropsThePoison } from '../checks/failures.js';
import { logsOn } from '../checks/milestones.js';
import { entriesOf } from '../service/answers.js';
import type { Scenario } from '../scenario.js';

/** Time within which an agent sends its logs; milliseconds. */
const SENDING_MS = 8_000;

export const poisonedLog: Scenario = {
  name: 'poisoned-log',
  title: 'a 413 for a batch of logs, then a 422 for one entry wherever it comes',
  judges: [dropsThePoison, logsOn],
  async play(stage) {
    const { service } = stage;
    await stage.registered();
    service.faults.befall('logs', { kind: 'refused', status: 413, message: 'The body is too large' });
    const deployment = stage.deployment();
    await stage.obey('deploy', deployment);
    await stage.running(1);
    // an agent that logs nothing can't be tested
    await stage.comes(() => stage.calls('logs').length > 0, SENDING_MS);
    await stage.watch(1_000);
    if (stage.calls('logs').length === 0) return;
    service.faults.befall('logs', { kind: 'lost' }, 1, (call) => {
      const [first] = entriesOf(call.body, 'logs');
      service.conditions.poison = typeof first?.message === 'string' ? first.message : null;
      return true;
    });
    for (const replicas of [2, 1, 2]) await stage.obey('scale', deployment, replicas);
    const refused = () => stage.calls('logs').find(({ status }) => status === 422);
    await stage.watch(2_500);
    await stage.should(logsOn, 'After an entry was refused with a 422 no other one came', () => {
      const at = refused()?.at;
      if (at !== undefined) return stage.answered('logs', at).length > 0;
      // without a repetition of the lost batch, nothing can be refused
      return stage.answered('logs').length > 0;
    });
  },
};
