import { appearanceOf, type ChoiceSince, isCounted, sourceAt, type SourcesSince } from './usage-choice.js';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR + 1;
const sources = (since: Partial<SourcesSince> = {}): SourcesSince => ({
  reports: null,
  metrics: null,
  spans: null,
  ...since,
});
const choices = (...all: [number, ChoiceSince['usageFrom']][]): ChoiceSince[] =>
  all.map(([since, usageFrom]) => ({ since, usageFrom }));

describe('The source of a call', () => {
  it('is the best one that was reported at its time', () => {
    const known = sources({ reports: -Infinity, metrics: 5 * HOUR, spans: 9 * HOUR });
    const at = [0, 5 * HOUR - 1, 5 * HOUR, 9 * HOUR].map((time) => sourceAt(time, known, []));
    expect(at).toEqual(['reports', 'reports', 'metrics', 'spans']);
    expect(sourceAt(0, sources(), [])).toBeNull();
  });

  it("is the owner's choice at its time", () => {
    const chosen = choices([100, 'reports'], [200, 'auto'], [300, 'metrics']);
    const known = sources({ spans: -Infinity });
    const at = [99, 100, 199, 200, 300].map((time) => sourceAt(time, known, chosen));
    expect(at).toEqual(['spans', 'reports', 'reports', 'spans', 'metrics']);
  });
});

describe('What a source tells of a time', () => {
  it('is counted unless a choice of another source falls into it', () => {
    const known = sources({ metrics: -Infinity, spans: -Infinity });
    const chosen = choices([100, 'metrics'], [200, 'auto'], [300, 'spans']);
    const isOf = (from: 'metrics' | 'spans', since: number, at: number) =>
      isCounted(from, { since, at }, known, chosen);
    expect([isOf('metrics', 90, 110), isOf('metrics', 100, 110), isOf('metrics', 190, 210)]).toEqual([
      false,
      true,
      false,
    ]);
    expect([isOf('spans', 290, 310), isOf('spans', 190, 210)]).toEqual([true, false]);
  });
});

describe('A source that tells of a model', () => {
  const firstAt = NOW - 3 * HOUR;

  it('counts for any time without a report of a lesser source', () => {
    const appearance = appearanceOf('metrics', firstAt, NOW, sources({ spans: 5 }), []);
    expect(appearance).toEqual({
      since: -Infinity,
      takenBack: { since: 997 * HOUR, sources: ['reports'] },
    });
    expect(appearanceOf('metrics', 0, NOW, sources({ metrics: -Infinity }), [])).toBeNull();
  });

  it('takes the place of lesser ones from the hour of its first call on, and of a day at most', () => {
    const known = sources({ reports: -Infinity });
    const replaced = (since: number) => ({ since, takenBack: { since, sources: ['reports', 'metrics'] } });
    expect(appearanceOf('spans', firstAt, NOW, known, [])).toEqual(replaced(997 * HOUR));
    expect(appearanceOf('spans', 0, NOW, known, [])).toEqual(replaced(976 * HOUR));
    const later = sources({ reports: -Infinity, spans: 999 * HOUR });
    expect(appearanceOf('spans', firstAt, NOW, later, [])).toEqual(replaced(997 * HOUR));
    expect(appearanceOf('spans', NOW, NOW, later, [])).toBeNull();
  });

  it('does not replace the counts of a choice, nor calls within the hour of the choice', () => {
    const known = sources({ reports: -Infinity });
    const chosenAt = 998 * HOUR + 1;
    const chosen = appearanceOf('spans', firstAt, NOW, known, choices([chosenAt, 'reports']));
    expect(chosen).toEqual({ since: chosenAt, takenBack: null });
    const free = appearanceOf('spans', firstAt, NOW, known, choices([5, 'reports'], [chosenAt, 'auto']));
    expect(free).toMatchObject({ since: 999 * HOUR, takenBack: { since: 999 * HOUR } });
    const earlier = sources({ reports: -Infinity, spans: chosenAt });
    expect(appearanceOf('spans', firstAt, NOW, earlier, choices([chosenAt, 'reports']))).toBeNull();
  });
});
