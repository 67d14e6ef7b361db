import type { CommandOption } from './command-declaration.js';
import type { CommandInput } from './command.js';
import type { Context } from './context.js';
import { UsageError } from './failures.js';
import { integer, type Moment, moment, timeOf } from './option-values.js';
import { type PageOptions, pageOptions, readPageOptions } from './paging.js';

export const LEVELS = ['debug', 'info', 'warning', 'error', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

/** Range of times. */
export interface Period {
  readonly since: Moment | undefined;
  readonly until: Moment | undefined;
}

export interface LogOptions extends Period {
  readonly page: PageOptions;
  readonly level: Level | undefined;
  readonly minLevel: Level | undefined;
  /** Text that messages must contain. */
  readonly text: string | undefined;
  readonly isFollowed: boolean;
}

export const periodOptions: readonly CommandOption[] = [
  {
    flags: '--since <time>',
    description: 'from this time on: 2026-01-31T09:30:00Z, or 10m, 2h, 1d ago',
    parse: moment,
  },
  { flags: '--until <time>', description: 'up to this time', parse: moment },
];

export const followOption: CommandOption = {
  flags: '-f, --follow',
  description: 'keep showing what is new, until Ctrl-C',
};

export const logOptions: readonly CommandOption[] = [
  followOption,
  { flags: '--level <level>', description: 'only this level', choices: LEVELS },
  { flags: '--min-level <level>', description: 'this level and the more severe ones', choices: LEVELS },
  { flags: '-q, --text <text>', description: 'only messages that contain this, ignoring case' },
  ...periodOptions,
  ...pageOptions,
  { flags: '--tail <number>', description: 'the same as --limit', parse: integer(0) },
];

export function readPeriod(input: CommandInput): Period {
  return { since: input.value<Moment>('since'), until: input.value<Moment>('until') };
}

/** @throws UsageError for an end of the range while following */
export function readLogOptions(input: CommandInput): LogOptions {
  const page = readPageOptions(input);
  const tail = input.number('tail');
  if (tail !== undefined && (input.flag('all') || input.number('limit') !== undefined))
    throw new UsageError('--tail is the same as --limit: give one of them, without --all');
  const options = {
    page: tail === undefined ? page : { ...page, limit: tail },
    ...readPeriod(input),
    level: input.value<Level>('level'),
    minLevel: input.value<Level>('min-level'),
    text: input.text('text'),
    isFollowed: input.flag('follow'),
  };
  if (options.isFollowed && options.until)
    throw new UsageError('--follow and --until do not go together: give one of them');
  if (options.isFollowed && options.page.skip > 0)
    throw new UsageError('--follow and --skip do not go together: give one of them');
  return options;
}

/** The filters of a live stream, as the service's parameters. */
export function streamQuery({ level, minLevel, text }: LogOptions) {
  return { level, min_level: minLevel, q: text };
}

/** The filters of a list of logs, as the service's parameters. */
export function logQuery(options: LogOptions, context: Context) {
  return { ...streamQuery(options), ...periodQuery(options, context) };
}

/** The range as the service's parameters. */
export function periodQuery({ since, until }: Period, context: Context) {
  const now = context.now();
  return { since: timeOf(since, now), until: timeOf(until, now) };
}
