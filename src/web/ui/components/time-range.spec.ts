import { ANY_TIME, readTimeRange, timeQuery } from './time-range.js';

const NOW = Date.parse('2026-01-31T09:30:00.000Z');

describe('A time range in the address', () => {
  it('is unlimited when the address has no range or an invalid one', () => {
    expect(readTimeRange(new URLSearchParams('range=1y&since=yesterday'))).toEqual(ANY_TIME);
    expect(timeQuery(ANY_TIME, NOW)).toEqual({});
  });

  it('ends now and begins the given duration before', () => {
    const time = readTimeRange(new URLSearchParams('range=24h'));
    expect(timeQuery(time, NOW)).toEqual({ since: '2026-01-30T09:30:00.000Z' });
  });

  it('between two times is requested unchanged, in UTC', () => {
    const time = readTimeRange(
      new URLSearchParams({ since: '2026-01-31T09:00:00+01:00', until: '2026-01-31' }),
    );
    expect(timeQuery(time, NOW)).toEqual({
      since: '2026-01-31T08:00:00.000Z',
      until: '2026-01-31T00:00:00.000Z',
    });
  });
});
