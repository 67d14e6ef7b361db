import { equalRows } from './equal-rows.js';
import type { LogRow } from './log-buffer.js';

const row = (id: string, part: Partial<LogRow> = {}): LogRow => ({
  id,
  agent_id: 'agent',
  deployment_id: null,
  run_id: null,
  level: 'info',
  message: 'polled',
  metadata: { replica: 0 },
  timestamp: new Date(Number(id)).toISOString(),
  ...part,
});

const groupsOf = (rows: readonly LogRow[]) => equalRows(rows).map((group) => group.map(({ id }) => id));

describe('equalRows', () => {
  it('puts lines in a row together that differ only in their times', () => {
    const rows = [row('1'), row('2'), row('3', { message: 'other' }), row('4'), row('5')];
    expect(groupsOf(rows)).toEqual([['1', '2'], ['3'], ['4', '5']]);
    expect(groupsOf([])).toEqual([]);
  });

  it.each<Partial<LogRow>>([
    { agent_id: 'other' },
    { deployment_id: 'other' },
    { run_id: 'other' },
    { level: 'error' },
    { metadata: { replica: 1 } },
    { metadata: null },
  ])('keeps a line apart that differs in %j', (part) => {
    expect(groupsOf([row('1'), row('2', part)])).toEqual([['1'], ['2']]);
  });
});
