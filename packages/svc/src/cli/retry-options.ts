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
    description: 'the maximum number of attempts, if one fails or times out (default 1)',
    parse: integer(1, 100),
  },
  {
    flags: '--retry-delay <time>',
    description: 'the delay before the second attempt, doubled for each further one: 10s, 1m (default none)',
    parse: seconds,
  },
  {
    flags: '--retry-abandoned',
    description: 'also retry a run that its agent has lost; half of its work may be done',
  },
];

/** @returns undefined if nothing is said of further attempts @throws UsageError */
export function readRetry(input: CommandInput): Retry | undefined {
  const [attempts, delay] = [input.number('retry'), input.number('retry-delay')];
  const abandoned = input.flag('retry-abandoned');
  if (attempts !== undefined)
    return { max_attempts: attempts, ...(delay !== undefined && { first_delay_seconds: delay }), abandoned };
  if (delay !== undefined || abandoned)
    throw new UsageError('The other options of retries need --retry, the number of attempts');
  return undefined;
}
