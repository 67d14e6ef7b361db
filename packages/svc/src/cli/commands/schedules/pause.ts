import { defineCommand } from '../../command.js';
import { scheduleArgument } from '../../find-schedule.js';
import { setActive } from './set-active.js';

export const command = defineCommand({
  arguments: [scheduleArgument],
  details: 'A paused schedule starts no runs, except by svc schedules trigger. Queued runs stay.',
  examples: [
    { command: 'schedules pause daily', explanation: 'no more runs for now' },
    { command: 'schedules list --paused', explanation: 'what is paused' },
  ],
  read: (input) => ({ schedule: input.argument('schedule') }),
  run: ({ schedule }, context) => setActive(context, schedule, false),
});
