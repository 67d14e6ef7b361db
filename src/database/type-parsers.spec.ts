import { toIsoText } from './type-parsers.js';

describe('toIsoText', () => {
  it.each([
    ['2026-01-31 09:30:00+00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31 09:30:00.5+00', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31 09:30:00.123+00', '2026-01-31T09:30:00.123Z'],
    ['2026-01-31 09:30:00.123999+00', '2026-01-31T09:30:00.123Z'],
    ['0001-01-01 00:00:00+00', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31 23:59:59.999999+00', '9999-12-31T23:59:59.999Z'],
  ])('returns ISO 8601 with milliseconds: %s becomes %s', (text, iso) => {
    expect(toIsoText(text)).toBe(iso);
    expect(new Date(iso).toISOString()).toBe(iso);
  });

  it('returns infinite times unchanged', () => {
    expect(toIsoText('-infinity')).toBe('-infinity');
  });
});
