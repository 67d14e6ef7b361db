import { type Restarts, restartsAfter } from './restart-pace.js';

const NONE: Restarts = { restartCount: 0, recentRestarts: [], restartPace: null };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

/** Reports one more restart at each of these seconds. */
const restartedAt = (...seconds: number[]) =>
  seconds.reduce((before, second) => restartsAfter(before, before.restartCount + 1, at(second)), NONE);

describe('The pace of restarts', () => {
  it.each<[string | null, number[]]>([
    [null, [0, 10]],
    ['frequent', [0, 10, 20]],
    ['frequent', [0, 10, 20, 30]],
    ['crash_looping', [0, 10, 20, 30, 599]],
    ['frequent', [0, 10, 20, 30, 601]],
    ['crash_looping', [0, 10, 20, 30, 601, 602]],
    [null, [0, 400, 800]],
  ])('is %s after restarts at %j', (pace, seconds) => {
    expect(restartedAt(...seconds).restartPace).toBe(pace);
  });

  it('counts several restarts in one report', () => {
    expect(restartsAfter(NONE, 7, at(0))).toMatchObject({ restartCount: 7, restartPace: 'crash_looping' });
  });

  it('stays crash_looping until ten minutes without a restart', () => {
    expect(restartsAfter(restartedAt(0, 1, 2, 3, 4), 6, at(590)).restartPace).toBe('crash_looping');
  });

  it('counts all restarts of a new runtime', () => {
    const before = restartedAt(0, 1);
    expect(restartsAfter(before, 1, at(2))).toMatchObject({ restartCount: 1, restartPace: 'frequent' });
    expect(restartsAfter(before, 0, at(2))).toMatchObject({ restartCount: 0, restartPace: null });
  });
});
