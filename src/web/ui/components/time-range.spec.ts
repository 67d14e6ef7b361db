import { ANY_TIME, readTimeRange, timeQuery } from './time-range.js';

const NOW = Date.parse('2026-01-31T09:30:00.000Z');

describe('A time range in the address', () => {
  it('is any time where the address names none, or none that is meaningful', () => {
    expect(readTimeRange(new URLSearchParams('range=1y&since=yesterday'))).toEqual(ANY_TIME);
    expect(timeQuery(ANY_TIME, NOW)).toEqual({});
  });

  it('that ends now begins that long before', () => {
    const time = readTimeRange(new URLSearchParams('range=24h'));
    expect(timeQuery(time, NOW)).toEqual({ since: '2026-01-30T09:30:00.000Z' });
  });

  it('between two times is asked for as it stands, in UTC', () => {
    const time = readTimeRange(
      new URLSearchParams({ since: '2026-01-31T09:00:00+01:00', until: '2026-01-31' }),
    );
    expect(timeQuery(time, NOW)).toEqual({
      since: '2026-01-31T08:00:00.000Z',
      until: '2026-01-31T00:00:00.000Z',
    });
  });
});
