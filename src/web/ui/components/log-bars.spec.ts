import { logBars } from './log-bars.js';
import type { LogRow } from './log-buffer.js';

const row = (timestamp: string, level: LogRow['level'] = 'info'): LogRow => ({
  id: timestamp,
  agent_id: 'agent',
  deployment_id: null,
  run_id: null,
  level,
  message: 'polled',
  metadata: null,
  timestamp,
});

describe('logBars', () => {
  it('counts the lines of each bar by level, in any order', () => {
    const rows = [
      row('2026-01-31T09:00:03.900Z', 'critical'),
      row('2026-01-31T09:00:01.000Z'),
      row('2026-01-31T09:00:01.999Z', 'warning'),
      row('2026-01-31T09:00:03.000Z', 'error'),
    ];
    const at = (time: string) => Date.parse(`2026-01-31T${time}Z`);
    expect(logBars(rows)).toEqual({
      step: 1_000,
      bars: [
        { at: at('09:00:01'), lines: 2, warnings: 1, errors: 0 },
        { at: at('09:00:02'), lines: 0, warnings: 0, errors: 0 },
        { at: at('09:00:03'), lines: 2, warnings: 0, errors: 2 },
      ],
    });
    expect(logBars([]).bars).toEqual([]);
  });

  it.each([
    ['2026-01-31T09:00:58.500Z', 1_000],
    ['2026-01-31T09:59:59.999Z', 120_000],
    ['2026-02-01T09:00:00.000Z', 1_800_000],
    ['2036-01-31T09:00:00.000Z', 62 * 86_400_000],
  ])('has at most 60 bars for lines up to %s, of %d ms', (last, step) => {
    const { bars, step: found } = logBars([row('2026-01-31T09:00:00.500Z'), row(last)]);
    expect(found).toBe(step);
    expect(bars.length).toBeLessThanOrEqual(60);
    expect([bars[0]!.lines, bars.at(-1)!.lines]).toEqual([1, 1]);
  });
});
