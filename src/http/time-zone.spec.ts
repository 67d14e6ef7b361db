import { isTimeZone } from './time-zone.js';

describe('A time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])('is taken as %s', (name) =>
    expect(isTimeZone(name)).toBe(true),
  );

  it.each(['', 'Nowhere/Else', '+02:00'])('is refused as "%s"', (name) =>
    expect(isTimeZone(name)).toBe(false),
  );
});
