import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findScheduleId, scheduleArgument } from '../../find-schedule.js';
import { printSchedule } from './columns.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  examples: [
    { command: 'schedules get daily', explanation: 'when it is due, and its last run' },
    { command: 'schedules get daily --jq .next_run_at', explanation: 'only the next time' },
  ],
  read: (input) => ({ schedule: input.argument('schedule') }),
  async run({ schedule }, context) {
    const path = { schedule_id: await findScheduleId(context, schedule) };
    printSchedule(
      context,
      await unwrap(context.service().GET('/schedules/{schedule_id}', { params: { path } })),
    );
  },
});
