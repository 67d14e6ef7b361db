import { defineCommand } from '../../command.js';
import { scheduleArgument } from '../../find-schedule.js';
import { setActive } from './set-active.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  details: 'Its next due time is computed from now: what was due during the pause is not caught up on.',
  examples: [
    { command: 'schedules resume daily', explanation: 'it makes runs again' },
    { command: 'schedules resume daily --jq .next_run_at', explanation: 'and says when the next one is due' },
  ],
  read: (input) => ({ schedule: input.argument('schedule') }),
  run: ({ schedule }, context) => setActive(context, schedule, true),
});
