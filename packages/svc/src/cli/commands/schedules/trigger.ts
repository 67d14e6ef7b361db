import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findScheduleId, scheduleArgument } from '../../find-schedule.js';
import { readRunWait, RUN_WAIT_DETAILS, runFollowOption, runWaitOption } from '../../waiting-run.js';
import { showAsked } from '../runs/show-asked.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  options: [runWaitOption, runFollowOption],
  details: `Its due times stay the same. It works for a paused schedule, too. ${RUN_WAIT_DETAILS}`,
  examples: [
    { command: 'schedules trigger daily', explanation: 'a run now' },
    { command: 'schedules trigger daily --wait > report.txt', explanation: 'and its output' },
  ],
  read: (input) => ({
    schedule: input.argument('schedule'),
    wait: readRunWait(input, input.flag('follow')),
  }),
  async run({ schedule, wait }, context) {
    const path = { schedule_id: await findScheduleId(context, schedule) };
    const asked = await unwrap(
      context.service().POST('/schedules/{schedule_id}/trigger', { params: { path } }),
    );
    await showAsked(context, asked, wait);
  },
});
