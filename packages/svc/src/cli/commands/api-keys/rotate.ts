import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findKeyId, keyArgument } from '../../find-key.js';
import { UsageError } from '../../failures.js';
import { seconds } from '../../option-values.js';
import { printNewKey } from './columns.js';

const LONGEST_GRACE_SECONDS = 86_400;

export const command = defineCommand({
  arguments: [keyArgument],
  options: [
    {
      flags: '--grace-period <time>',
      description: 'how long the old key still works: 90s, 10m, 24h (default: it stops at once)',
      parse: grace,
    },
  ],
  details: 'Creates a new key in place of this one, and shows it only once.',
  examples: [
    {
      command: 'api-keys rotate 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01 --grace-period 1h',
      explanation: 'the old key works for another hour',
    },
    {
      command: 'api-keys rotate 0192f0c9-1b2c-7d3e-8f4a-5b6c7d8e9f01',
      explanation: 'the old key stops at once, as after a leak',
    },
  ],
  read: (input) => ({
    key: input.argument('key'),
    gracePeriodSeconds: input.number('grace-period') ?? 0,
  }),
  async run({ key, gracePeriodSeconds }, context) {
    const keyId = await findKeyId(context, key);
    const rotated = await unwrap(
      context.service().POST('/api-keys/{key_id}/rotate', {
        params: { path: { key_id: keyId } },
        body: { grace_period_seconds: gracePeriodSeconds },
      }),
    );
    printNewKey(context, rotated);
  },
});

function grace(text: string): number {
  const value = seconds(text);
  if (value > LONGEST_GRACE_SECONDS) throw new UsageError('It must not be longer than a day');
  return value;
}
