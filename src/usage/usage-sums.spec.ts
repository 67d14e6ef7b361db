import { USAGE_BUCKETS, type UsageBuckets } from '../runs/usage.types.js';
import type { CountedUsage } from './usage-counting.repository.js';
import { summedUp } from './usage-sums.js';

const NO_USAGE = Object.fromEntries(USAGE_BUCKETS.map((bucket) => [bucket, 0])) as UsageBuckets;

const row = (more: Partial<CountedUsage> = {}): CountedUsage => ({
  projectId: 'p',
  agentId: 'a',
  runId: 'r',
  model: 'm',
  configVersion: 1,
  at: new Date('2026-01-31T09:00:00.000Z'),
  buckets: { ...NO_USAGE, input_tokens: 10, llm_calls: 1 },
  ...more,
});

describe('Rows of usage', () => {
  it('are added up where they are of one hour and the same in all else', () => {
    const last = row({ at: new Date('2026-01-31T09:59:59.999Z') });
    expect(summedUp([row(), last, row()])).toEqual([
      row({ buckets: { ...NO_USAGE, input_tokens: 30, llm_calls: 3 } }),
    ]);
  });

  it.each<[string, Partial<CountedUsage>]>([
    ['project', { projectId: 'other' }],
    ['agent', { agentId: 'other' }],
    ['run', { runId: null }],
    ['model', { model: '' }],
    ['config version', { configVersion: 0 }],
    ['hour', { at: new Date('2026-01-31T10:00:00.000Z') }],
  ])('stay apart where the %s differs', (_, other) => {
    expect(summedUp([row(), row(other)])).toEqual([row(), row(other)]);
  });

  it('are not changed', () => {
    const given = [row(), row()];
    summedUp(given);
    expect(given).toEqual([row(), row()]);
  });
});
