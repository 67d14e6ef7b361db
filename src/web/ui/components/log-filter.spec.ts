import { isOpenEnded, logQuery, readFilter } from './log-filter.js';

const NOW = Date.parse('2026-01-31T12:00:00.000Z');
const queryOf = (address: string) => logQuery(readFilter(new URLSearchParams(address)), NOW);

describe('The filter of a log', () => {
  it('is read from the address and becomes a query of the service', () => {
    expect(queryOf('level=warning&q=mailbox&replica=2&range=1h&tab=logs')).toEqual({
      min_level: 'warning',
      q: 'mailbox',
      replica: '2',
      since: '2026-01-31T11:00:00.000Z',
    });
    expect(queryOf('since=2026-01-30&until=2026-01-31T10:00:00%2B01:00')).toEqual({
      since: '2026-01-30T00:00:00.000Z',
      until: '2026-01-31T09:00:00.000Z',
    });
  });

  it('includes some minutes after the requested time, and is not live then', () => {
    expect(queryOf('at=2026-01-31T10:00:00Z')).toEqual({ until: '2026-01-31T10:10:00.000Z' });
    expect(isOpenEnded(readFilter(new URLSearchParams('at=2026-01-31T10:00:00Z')))).toBe(false);
    expect(isOpenEnded(readFilter(new URLSearchParams('range=1h')))).toBe(true);
  });

  it('leaves out invalid values', () => {
    expect(queryOf('level=loud&range=9y&since=yesterday&replica=x')).toEqual({});
  });
});
