import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { filled, laterMoment, type Moment, timeOf } from '../../option-values.js';
import { printMaintenance } from './record.js';

export const command = defineCommand({
  options: [
    { flags: '--reason <text>', description: 'why, for everybody whose change is refused', parse: filled },
    {
      flags: '--until <time>',
      description: 'when it ends: 2h for two hours from now, or a time',
      parse: laterMoment,
    },
  ],
  details:
    'For operators who are logged in. Changes by people and their keys are refused on all instances; ' +
    'reads, sign-in, agents, schedules and webhooks continue. A second call changes the reason and the ' +
    'end.',
  examples: [
    {
      command: 'maintenance start --reason "The database moves" --until 2h',
      explanation: 'for two hours, or until "svc maintenance end"',
    },
  ],
  read(input) {
    const reason = input.text('reason');
    if (reason === undefined)
      throw new UsageError('--reason is needed: everybody whose change is refused reads it');
    return { reason, until: input.value<Moment>('until') };
  },
  async run({ reason, until }, context) {
    const body = { reason, until: timeOf(until, context.now()) };
    printMaintenance(context, await unwrap(context.service().PUT('/maintenance', { body })));
  },
});
