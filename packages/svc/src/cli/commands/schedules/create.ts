import { type Schedule, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { UsageError } from '../../failures.js';
import { agentArgument, findAgentId } from '../../find-agent.js';
import { labelOption, readLabels } from '../../label-option.js';
import { filled, integer, seconds } from '../../option-values.js';
import { INPUT_SOURCES, runInput } from '../runs/run-input.js';
import { printSchedule } from './columns.js';

const OVERLAPS = ['skip', 'queue', 'allow'] as const satisfies Schedule['overlap'][];
const CATCH_UPS = ['none', 'one'] as const satisfies Schedule['catch_up'][];

export const command = defineCommand({
  arguments: [agentArgument],
  options: [
    {
      flags: '--cron <expression>',
      description: 'when a run is due: minute, hour, day, month, day of the week',
      parse: filled,
    },
    { flags: '--every <time>', description: 'or how often: 90s, 15m, 1h, 1d', parse: seconds },
    {
      flags: '--timezone <zone>',
      description: 'the zone of --cron: Europe/Berlin (default UTC)',
      parse: filled,
    },
    { flags: '-i, --input <input>', description: `what each run is to work on: ${INPUT_SOURCES}` },
    { flags: '--name <name>', description: 'what to call it, and each run', parse: filled },
    labelOption,
    {
      flags: '--priority <number>',
      description: '0 to 9, the highest goes first (default 5)',
      parse: integer(0, 9),
    },
    {
      flags: '--timeout <time>',
      description: 'how long the agent may take: 90s, 5m, 1h (default: any time)',
      parse: seconds,
    },
    {
      flags: '--overlap <what>',
      description: 'while an earlier run has not ended: skip (the default), queue, or allow both',
      choices: OVERLAPS,
    },
    {
      flags: '--catch-up <what>',
      description: 'of times that the service has missed: none (the default), or one run for all',
      choices: CATCH_UPS,
    },
    { flags: '--paused', description: 'it is due only once it is resumed' },
  ],
  examples: [
    {
      command: 'schedules create reporter --cron "0 9 * * MON-FRI" --timezone Europe/Berlin --name daily',
      explanation: 'a run at nine each working day',
    },
    {
      command: `schedules create cleaner --every 15m --input '{"older_than_days": 30}'`,
      explanation: 'a run each quarter of an hour',
    },
  ],
  read(input) {
    const [cron, every] = [input.text('cron'), input.number('every')];
    if ((cron === undefined) === (every === undefined))
      throw new UsageError('--cron or --every says when a run is due: give one of them');
    return {
      agent: input.argument('agent'),
      input: input.text('input'),
      terms: {
        cron,
        every_seconds: every,
        timezone: input.text('timezone'),
        name: input.text('name'),
        labels: readLabels(input.list('label') ?? []),
        priority: input.number('priority'),
        timeout_seconds: input.number('timeout'),
        overlap: input.value<Schedule['overlap']>('overlap'),
        catch_up: input.value<Schedule['catch_up']>('catch-up'),
        is_active: !input.flag('paused'),
      },
    };
  },
  async run({ agent, input: given, terms }, context) {
    const input = given === undefined ? undefined : await runInput(given, context);
    const path = { agent_id: await findAgentId(context, agent) };
    const body = { ...terms, input };
    printSchedule(
      context,
      await unwrap(context.service().POST('/agents/{agent_id}/schedules', { params: { path }, body })),
    );
  },
});
