import { faultOfCron, nextDueAt, type RunningClock, turnOf, upcomingTimes } from './due-times.js';

const ANCHOR = '2026-01-01T00:00:00.000Z';

function clock(values: Partial<RunningClock>): RunningClock {
  return { cron: null, everySeconds: null, timezone: 'UTC', anchoredAt: ANCHOR, ...values };
}

/** The first due times after a time. */
function dueTimes(values: Partial<RunningClock>, after: string, count = 3): string[] {
  const times: string[] = [];
  let last = new Date(after);
  for (let made = 0; made < count; made++) {
    last = nextDueAt(clock(values), last)!;
    times.push(last.toISOString());
  }
  return times;
}

describe('The due times of a schedule', () => {
  it('follow the clock of the time zone', () => {
    const cron = '30 9 * * MON-FRI';
    expect(dueTimes({ cron, timezone: 'America/New_York' }, '2026-01-15T20:00:00.000Z', 2)).toEqual([
      '2026-01-16T14:30:00.000Z',
      '2026-01-19T14:30:00.000Z',
    ]);
    expect(dueTimes({ cron, timezone: 'Asia/Kolkata' }, '2026-01-15T20:00:00.000Z', 1)).toEqual([
      '2026-01-16T04:00:00.000Z',
    ]);
  });

  it('come after the given time, by less than a second too', () => {
    expect(dueTimes({ cron: '* * * * *' }, '2026-01-15T20:00:59.999Z', 1)).toEqual([
      '2026-01-15T20:01:00.000Z',
    ]);
    expect(dueTimes({ cron: '* * * * *' }, '2026-01-15T20:01:00.000Z', 1)).toEqual([
      '2026-01-15T20:02:00.000Z',
    ]);
    expect(dueTimes({ cron: '* * * * *' }, '2026-01-15T20:01:00.001Z', 1)).toEqual([
      '2026-01-15T20:02:00.000Z',
    ]);
  });

  // In Berlin 02:00 becomes 03:00 at 01:00 UTC.
  it('at a single time that a day leaves out come at the end of the gap', () => {
    expect(dueTimes({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-03-28T00:00:00.000Z')).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('at many times of a day leave out times that do not exist on that day', () => {
    expect(dueTimes({ cron: '30 1-3 * * *', timezone: 'Europe/Berlin' }, '2026-03-29T00:00:00.000Z')).toEqual(
      ['2026-03-29T00:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-29T23:30:00.000Z'],
    );
  });

  // In Berlin 03:00 becomes 02:00 at 01:00 UTC.
  it('at a single time that a day has twice come the first time only', () => {
    expect(
      dueTimes({ cron: '30 2 * * *', timezone: 'Europe/Berlin' }, '2026-10-24T12:00:00.000Z', 2),
    ).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  it('of several in an hour come twice when clocks go back', () => {
    expect(
      dueTimes({ cron: '*/30 * * * *', timezone: 'Europe/Berlin' }, '2026-10-24T23:45:00.000Z', 5),
    ).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T01:30:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });

  it('in seconds are counted from the anchor, with any time zone or clock change', () => {
    const every = { everySeconds: 5_400, timezone: 'Europe/Berlin' };
    expect(dueTimes(every, '2026-03-29T00:00:00.000Z')).toEqual([
      '2026-03-29T01:30:00.000Z',
      '2026-03-29T03:00:00.000Z',
      '2026-03-29T04:30:00.000Z',
    ]);
    expect(dueTimes(every, ANCHOR, 1)).toEqual(['2026-01-01T01:30:00.000Z']);
    expect(dueTimes(every, '2025-01-01T00:00:00.000Z', 1)).toEqual(['2026-01-01T01:30:00.000Z']);
  });
});

it('The upcoming times of a schedule begin with its next due time, and a paused one has none', () => {
  const daily = clock({ cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  expect(upcomingTimes({ ...daily, nextRunAt: '2026-03-28T01:30:00.000Z' }, 3)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  expect(upcomingTimes({ ...daily, nextRunAt: null }, 3)).toEqual([]);
});

describe('A due time that has come', () => {
  const minutely = { ...clock({ cron: '* * * * *' }), catchUp: 'none' } as const;
  const at = (time: string) => new Date(`2026-01-15T${time}Z`);

  it('makes a run up to a minute later', () => {
    expect(turnOf(minutely, at('12:00:00'), at('12:01:00'))).toEqual({
      dueAt: at('12:00:00'),
      nextDueAt: at('12:01:00'),
    });
  });

  it('is skipped with all other missed times, if none is caught up on', () => {
    expect(turnOf(minutely, at('11:00:00'), at('12:00:30'))).toEqual({
      dueAt: at('12:00:00'),
      nextDueAt: at('12:01:00'),
    });
    const hourly = { ...minutely, cron: '0 * * * *' };
    expect(turnOf(hourly, at('11:00:00'), at('12:30:00'))).toEqual({
      dueAt: null,
      nextDueAt: at('13:00:00'),
    });
  });

  it('makes one run for all that were missed, if one is caught up on', () => {
    expect(turnOf({ ...minutely, catchUp: 'one' }, at('11:00:00'), at('12:00:30'))).toEqual({
      dueAt: at('11:00:00'),
      nextDueAt: at('12:01:00'),
    });
  });
});

describe('A cron expression', () => {
  it.each(['* * * * *', '*/5 9-17 * * MON-FRI', '0 0 L * *', '0 9 * * MON#2', '@daily', '0 0 29 2 *'])(
    'is taken as %s',
    (text) => expect(faultOfCron(text)).toBeNull(),
  );

  it.each([
    ['', 'space separated parts'],
    ['x', 'space separated parts'],
    ['* * * * * *', 'exactly 5 parts'],
    ['60 * * * *', 'Invalid value for minute: 60'],
    ['0 0 30 2 *', 'matches no date'],
  ])('is refused as "%s"', (text, fault) => expect(faultOfCron(text)).toContain(fault));
});
