import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../command.js';
import { confirm, yesOption } from '../confirmation.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { labelFilters } from '../label-option.js';
import { filled } from '../option-values.js';
import { reasonOption, type Runs, runsOption } from '../pause-options.js';
import { printPause } from './pauses/columns.js';

export const command = defineCommand({
  options: [
    { flags: '--label <key=value>', description: 'only agents with this label', parse: filled },
    { flags: '--type <type>', description: 'only agents of this type', parse: filled },
    reasonOption,
    runsOption,
    yesOption,
  ],
  details:
    'Pauses all agents of the project that match now. Without --label and --type it asks first, because ' +
    'all are paused.',
  examples: [
    {
      command: 'pause --label team=billing --reason "The model answers nonsense"',
      explanation: 'all agents of a label',
    },
    { command: 'pause --reason "Maintenance" --yes', explanation: 'all agents of the project' },
  ],
  read(input) {
    const reason = input.text('reason');
    if (reason === undefined)
      throw new UsageError('--reason is needed: who finds the agents paused asks why');
    const label = input.text('label');
    return {
      label: label === undefined ? undefined : labelFilters([label])[0],
      type: input.text('type'),
      reason,
      runs: input.value<Runs>('runs'),
      isConfirmed: input.flag('yes'),
    };
  },
  async run({ isConfirmed, ...selected }, context) {
    const isAll = selected.label === undefined && selected.type === undefined;
    await confirm(context, isConfirmed || !isAll, () => 'Pause all agents of the project?');
    const body = { ...selected, project_id: await context.projectId() };
    const pause = await unwrap(context.service().POST('/pauses', { body }));
    if (pause.agents === 0) throw new CommandFailedError('No agent matches, so none is paused');
    printPause(context, pause);
  },
});
