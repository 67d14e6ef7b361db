import type { components } from '@agent-control-plane/client';
import type { CommandOption } from './command-declaration.js';
import type { CommandInput } from './command.js';
import { UsageError } from './failures.js';
import { integer, seconds } from './option-values.js';

type Retry = components['schemas']['RetryRequest'];

/** Options that say when a run is begun again by itself. */
export const retryOptions: readonly CommandOption[] = [
  {
    flags: '--retry <attempts>',
    description: 'how many attempts there are at most, if one fails or takes too long (default 1)',
    parse: integer(1, 100),
  },
  {
    flags: '--retry-delay <time>',
    description: 'pause before the second attempt, which doubles with each one: 10s, 1m (default none)',
    parse: seconds,
  },
  {
    flags: '--retry-abandoned',
    description: 'try again, too, what nobody has any more: it may have done half of its work',
  },
];

/** @returns undefined if nothing is said of further attempts @throws UsageError */
export function readRetry(input: CommandInput): Retry | undefined {
  const [attempts, delay] = [input.number('retry'), input.number('retry-delay')];
  const abandoned = input.flag('retry-abandoned');
  if (attempts !== undefined)
    return { max_attempts: attempts, ...(delay !== undefined && { first_delay_seconds: delay }), abandoned };
  if (delay !== undefined || abandoned)
    throw new UsageError(
      '--retry says how many attempts there are: give it with the other options of retries',
    );
  return undefined;
}
