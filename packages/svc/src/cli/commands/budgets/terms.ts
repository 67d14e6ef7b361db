import type { Budget, components } from '@agent-control-plane/client';
import type { CommandOption } from '../../command-declaration.js';
import type { CommandInput } from '../../command.js';
import { UsageError } from '../../failures.js';
import { filled } from '../../option-values.js';

type Limit = components['schemas']['BudgetLimitRequest'];

const ACTIONS = ['notify', 'pause', 'stop'] as const satisfies Budget['on_exceeded'][];

/** Options by the names of their limits. */
const LIMITS = {
  usd: 'usd',
  tokens: 'tokens',
  llm_calls: 'llm-calls',
  tool_calls: 'tool-calls',
  minutes: 'minutes',
} as const satisfies Record<keyof Limit, string>;

/** Options of the terms of a budget, new or not. */
export const termOptions: readonly CommandOption[] = [
  { flags: '--usd <dollars>', description: 'the limit in dollars', parse: amount },
  { flags: '--tokens <number>', description: 'or in tokens of input and output', parse: amount },
  { flags: '--llm-calls <number>', description: 'or in model calls', parse: amount },
  { flags: '--tool-calls <number>', description: 'or in tool calls', parse: amount },
  { flags: '--minutes <number>', description: 'or in minutes of runs', parse: amount },
  {
    flags: '--warn-at <share>',
    description: 'the share of the limit at which it warns: 0.8 (the default), or 80%',
    parse: share,
  },
  {
    flags: '--on-exceeded <what>',
    description: 'what to do past the limit: notify (the default), pause or stop',
    choices: ACTIONS,
  },
  {
    flags: '--timezone <zone>',
    description: 'the time zone in which a period begins: Europe/Berlin (default UTC)',
    parse: filled,
  },
];

/** The terms that a command line names; absent ones are undefined. @throws UsageError for more than one limit */
export function readTerms(input: CommandInput) {
  const given = Object.entries(LIMITS).flatMap(([name, option]) => {
    const value = input.number(option);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length > 1)
    throw new UsageError('A budget has one limit: give one of --usd, --tokens and the like');
  return {
    limit: given.length === 0 ? undefined : (Object.fromEntries(given) as Limit),
    warn_at: input.number('warn-at'),
    on_exceeded: input.value<Budget['on_exceeded']>('on-exceeded'),
    timezone: input.text('timezone'),
  };
}

function amount(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text)) return value;
  throw new UsageError('It must be a number like 20 or 2.50');
}

/** `0.8` or `80%`. */
function share(text: string): number {
  const [, number, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = Number(number) / (sign ? 100 : 1);
  if (value >= 0 && value <= 1) return value;
  throw new UsageError('It must be a share of the limit, like 0.8 or 80%');
}
