import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { laterMoment, type Moment, timeOf } from '../../option-values.js';
import { printLogLevel } from './record.js';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export const command = defineCommand({
  arguments: [{ name: 'level', description: 'from which level on lines are written', choices: LEVELS }],
  options: [
    {
      flags: '--until <time>',
      description: 'when it ends by itself, within a day: 30m from now, or a time (default: in an hour)',
      parse: laterMoment,
    },
  ],
  details:
    'For operators who are logged in. Sets it on all instances at once. With debug and trace each request is a line.',
  examples: [
    { command: 'log-level set debug --until 15m', explanation: 'for a quarter of an hour, on all instances' },
  ],
  read: (input) => ({
    level: input.argument('level') as (typeof LEVELS)[number],
    until: input.value<Moment>('until'),
  }),
  async run({ level, until }, context) {
    const body = { level, until: timeOf(until, context.now()) };
    printLogLevel(context, await unwrap(context.service().PUT('/log-level', { body })));
  },
});
