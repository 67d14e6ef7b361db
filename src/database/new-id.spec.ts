import { v7 as uuidv7 } from 'uuid';
import { momentOf, uuidFloor } from './uuid-times.js';
import { IdClock } from './new-id.js';

const START = Date.parse('2026-01-31T09:30:00Z');

/** A process whose clock and time since its start the test sets. */
function process() {
  const time = { now: START, elapsed: 0 };
  const clock = new IdClock(
    () => time.now,
    () => time.elapsed,
  );
  const pass = (ms: number) => {
    time.now += ms;
    time.elapsed += ms;
  };
  /** Asks a database whose clock is so far ahead, and which answers after so long. */
  const ask = (aheadMs: number, tookMs: number) => {
    const askedAt = time.elapsed;
    pass(tookMs / 2);
    const told = time.now + aheadMs;
    pass(tookMs / 2);
    clock.note(told, askedAt);
  };
  return { time, clock, pass, ask, ahead: () => momentOf(clock.next()).getTime() - time.now };
}

describe('The id of a row', () => {
  it("has this process's time until the database has sent its time", () => {
    expect(process().ahead()).toBe(0);
  });

  it.each([10_000, -10_000])("has the database's time when that is %i ms ahead", (aheadMs) => {
    const { ask, ahead } = process();
    ask(aheadMs, 4);
    expect(ahead()).toBe(aheadMs);
  });

  it('keeps the measurement that took the least time, until that is a minute old', () => {
    const { clock, time, pass, ask, ahead } = process();
    ask(5_000, 2);
    clock.note(time.now + 9_000, time.elapsed - 3_000);
    expect(ahead()).toBe(5_000);
    pass(60_000);
    ask(6_000, 8);
    expect(ahead()).toBe(6_000);
  });

  it('is greater than the previous ones, also when the clock has gone back', () => {
    const { clock, time, ask } = process();
    const ids = Array.from({ length: 3 }, () => clock.next());
    time.now -= 60_000;
    ids.push(clock.next());
    ask(-5_000, 1);
    ids.push(clock.next());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
  });
});

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
