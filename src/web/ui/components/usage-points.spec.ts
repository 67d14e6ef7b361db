import type { UsageReport, UsageRow } from '../api/usage.js';
import { MEASURES, usagePoints } from './usage-points.js';

const [cost, tokens, calls] = MEASURES;

const row = (part: Partial<UsageRow>): UsageRow => ({
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  llm_calls: 0,
  tool_calls: 0,
  tool_errors: 0,
  cost_usd: '0.000000',
  uncosted_calls: 0,
  ...part,
});

const report = (group_by: 'day' | 'hour', since: string, until: string, rows: UsageRow[]): UsageReport => ({
  group_by,
  since,
  until,
  total: row({}),
  rows,
  omitted_rows: 0,
});

describe('The points of a chart of usage', () => {
  it('contain one for each day, also for days without usage', () => {
    const days = report('day', '2026-02-27T00:00:00.000Z', '2026-03-02T00:00:00.000Z', [
      row({ day: '2026-02-28', cost_usd: '1.500000', uncosted_calls: 2 }),
    ]);
    expect(usagePoints(days, cost!)).toEqual([
      { at: Date.UTC(2026, 1, 27), value: 0, text: 'Nothing' },
      { at: Date.UTC(2026, 1, 28), value: 1.5, text: '$1.50 and 2 calls without a price' },
      { at: Date.UTC(2026, 2, 1), value: 0, text: 'Nothing' },
    ]);
  });

  it('are one for each hour', () => {
    const hours = report('hour', '2026-03-01T22:00:00.000Z', '2026-03-02T00:00:00.000Z', [
      row({
        hour: '2026-03-01T23:00:00.000Z',
        input_tokens: 1_000,
        output_tokens: 500,
        llm_calls: 2,
        tool_calls: 3,
      }),
    ]);
    expect(usagePoints(hours, tokens!).map(({ text }) => text)).toEqual(['Nothing', '1,500 tokens']);
    expect(usagePoints(hours, calls!).at(-1)).toMatchObject({ value: 2, text: '2 LLM calls, 3 tool calls' });
  });
});
