import { forgetsTheGone } from '../checks/commands.js';
import { takesCommands } from '../checks/milestones.js';
import type { Scenario } from '../scenario.js';

/** Time within which a repeated acknowledgement is visible; milliseconds. */
const REPEATED_MS = 2_500;

export const commandGone: Scenario = {
  name: 'command-gone',
  title: 'the service does not know a command any more when it is acknowledged: 404',
  judges: [forgetsTheGone],
  async play(stage) {
    const deployment = await stage.deployed();
    const command = stage.order('scale', deployment, 2);
    stage.service.queue.forget(command);
    await stage.must(
      takesCommands,
      'It never took and acknowledged the scale',
      () => command.deliveries.length > 0 && command.isSettled,
    );
    await stage.watch(REPEATED_MS);
    await stage.obey('scale', deployment, 1);
    await stage.running(1);
  },
};
