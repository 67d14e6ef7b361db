import type { Schedule } from '@agent-control-plane/client';
import type { CommandOption } from '../../command-declaration.js';
import type { CommandInput } from '../../command.js';
import { labelOption, readLabels } from '../../label-option.js';
import { filled, integer, seconds } from '../../option-values.js';
import { readRetry, retryOptions } from '../../retry-options.js';
import { INPUT_SOURCES } from '../runs/run-input.js';

const OVERLAPS = ['skip', 'queue', 'allow'] as const satisfies Schedule['overlap'][];
const CATCH_UPS = ['none', 'one'] as const satisfies Schedule['catch_up'][];

/** A value for "no time limit". The parser of command lines takes no null. */
const ANY_TIME = 'any';

/** Options of the terms of a schedule, new or not. */
export const termOptions: readonly CommandOption[] = [
  {
    flags: '--cron <expression>',
    description: 'when a run is due: minute, hour, day, month, day of the week',
    parse: filled,
  },
  { flags: '--every <time>', description: 'or how often: 90s, 15m, 1h, 1d', parse: seconds },
  {
    flags: '--timezone <zone>',
    description: 'the time zone of --cron: Europe/Berlin (default UTC)',
    parse: filled,
  },
  { flags: '-i, --input <input>', description: `the input of each run: ${INPUT_SOURCES}` },
  { flags: '--name <name>', description: 'its name, and that of each run', parse: filled },
  labelOption,
  {
    flags: '--priority <number>',
    description: '0 to 9, the highest goes first (default 5)',
    parse: integer(0, 9),
  },
  {
    flags: '--timeout <time>',
    description: 'how long the agent may take: 90s, 5m, 1h, or any (the default)',
    parse: (text) => (text === ANY_TIME ? text : seconds(text)),
  },
  {
    flags: '--overlap <what>',
    description: 'if an earlier run has not ended: skip (the default), queue, or allow both',
    choices: OVERLAPS,
  },
  {
    flags: '--catch-up <what>',
    description: 'for times missed while the service was down: none (the default), or one run for all',
    choices: CATCH_UPS,
  },
  ...retryOptions,
];

/** The terms that a command line names; absent ones are undefined. @throws UsageError */
export function readTerms(input: CommandInput) {
  const labels = input.list('label');
  const timeout = input.value<number | typeof ANY_TIME>('timeout');
  return {
    cron: input.text('cron'),
    every_seconds: input.number('every'),
    timezone: input.text('timezone'),
    name: input.text('name'),
    labels: labels && readLabels(labels),
    priority: input.number('priority'),
    timeout_seconds: timeout === ANY_TIME ? null : timeout,
    overlap: input.value<Schedule['overlap']>('overlap'),
    catch_up: input.value<Schedule['catch_up']>('catch-up'),
    retry: readRetry(input),
  };
}
