import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { findScheduleId, scheduleArgument } from '../../find-schedule.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  options: [yesOption],
  details: 'Its runs stay, also queued ones.',
  examples: [
    { command: 'schedules delete daily', explanation: 'asks first' },
    { command: 'schedules delete daily --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ schedule: input.argument('schedule'), isConfirmed: input.flag('yes') }),
  async run({ schedule, isConfirmed }, context) {
    const scheduleId = await findScheduleId(context, schedule);
    await confirm(context, isConfirmed, () => `Delete the schedule ${schedule} (${scheduleId})?`);
    await context
      .service()
      .DELETE('/schedules/{schedule_id}', { params: { path: { schedule_id: scheduleId } } });
    printDone(context, { deleted: scheduleId }, `Deleted the schedule ${scheduleId}`);
  },
});
