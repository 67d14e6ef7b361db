import { v7 as uuidv7 } from 'uuid';
import { momentOf, uuidFloor } from './uuid-floor.js';

const MOMENT = new Date('2026-01-31T09:30:00.123Z');

describe('The lowest UUID of a time', () => {
  it('sorts after identifiers of the previous millisecond and before later ones', () => {
    const before = uuidv7({ msecs: MOMENT.getTime() - 1 });
    const same = uuidv7({ msecs: MOMENT.getTime() });
    expect([same, uuidFloor(MOMENT), before].sort()).toEqual([before, uuidFloor(MOMENT), same]);
  });

  it('is converted back to its time', () => {
    expect(momentOf(uuidFloor(MOMENT))).toEqual(MOMENT);
    expect(momentOf(uuidv7({ msecs: MOMENT.getTime() }))).toEqual(MOMENT);
  });

  it('exists for the first and the last time that a query may contain', () => {
    expect(uuidFloor(new Date('0001-01-01T00:00:00Z'))).toBe('00000000-0000-0000-0000-000000000000');
    expect(momentOf(uuidFloor(new Date('9999-12-31T23:59:59.999Z')))).toEqual(
      new Date('9999-12-31T23:59:59.999Z'),
    );
  });
});
