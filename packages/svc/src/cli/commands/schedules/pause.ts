import { defineCommand } from '../../command.js';
import { scheduleArgument } from '../../find-schedule.js';
import { setActive } from './set-active.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  details:
    'A paused schedule makes no runs but those of svc schedules trigger. Its runs that are queued stay.',
  examples: [
    { command: 'schedules pause daily', explanation: 'no more runs for now' },
    { command: 'schedules list --paused', explanation: 'what is paused' },
  ],
  read: (input) => ({ schedule: input.argument('schedule') }),
  run: ({ schedule }, context) => setActive(context, schedule, false),
});
