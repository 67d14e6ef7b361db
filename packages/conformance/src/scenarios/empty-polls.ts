import { noHammering, pausesBetweenEmptyPolls } from '../checks/requests.js';
import type { Scenario } from '../scenario.js';

/** Number of polls, and the time limit, that distinguish a pause from none; milliseconds. */
const [MOST_POLLS, LONGEST_MS] = [24, 6_000];

export const emptyPolls: Scenario = {
  name: 'empty-polls',
  title: 'polls that come back empty before their time, as when the service shuts down',
  judges: [noHammering, pausesBetweenEmptyPolls],
  async play(stage) {
    await stage.registered();
    stage.service.conditions.emptyPolls = 1_000;
    stage.service.endPolls();
    await stage.comes(() => stage.calls('poll').length > MOST_POLLS, LONGEST_MS);
    stage.service.conditions.emptyPolls = 0;
    await stage.obey('deploy', stage.deployment());
    await stage.running(1);
  },
};
