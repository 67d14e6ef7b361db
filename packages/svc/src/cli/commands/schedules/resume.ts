import { defineCommand } from '../../command.js';
import { scheduleArgument } from '../../find-schedule.js';
import { setActive } from './set-active.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  details: 'The next due time is computed from now; runs missed during the pause are not made up.',
  examples: [
    { command: 'schedules resume daily', explanation: 'it starts runs again' },
    { command: 'schedules resume daily --jq .next_run_at', explanation: 'prints when the next one is due' },
  ],
  read: (input) => ({ schedule: input.argument('schedule') }),
  run: ({ schedule }, context) => setActive(context, schedule, true),
});
