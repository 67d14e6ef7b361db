import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { laterMoment, type Moment, timeOf } from '../../option-values.js';
import { printLogLevel } from './record.js';

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

export const command = defineCommand({
  arguments: [{ name: 'level', description: 'the lowest level that is logged', choices: LEVELS }],
  options: [
    {
      flags: '--until <time>',
      description: 'when it ends, at most a day from now: 30m, or a time (default: in an hour)',
      parse: laterMoment,
    },
  ],
  details:
    'For operators who are logged in. Sets it on all instances at once. The levels debug and trace log ' +
    'each request.',
  examples: [{ command: 'log-level set debug --until 15m', explanation: 'for 15 minutes, on all instances' }],
  read: (input) => ({
    level: input.argument('level') as (typeof LEVELS)[number],
    until: input.value<Moment>('until'),
  }),
  async run({ level, until }, context) {
    const body = { level, until: timeOf(until, context.now()) };
    printLogLevel(context, await unwrap(context.service().PUT('/log-level', { body })));
  },
});
