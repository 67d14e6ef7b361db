import { deployMarks } from './deploy-marks.js';

const made = (id: string, at: number, config_version = 1) => ({
  id,
  config_version,
  created_at: new Date(at).toISOString(),
});

describe('deployMarks', () => {
  const span = { from: 1_000, until: 2_000 };

  it('returns the deploys within the span, oldest first, with their versions', () => {
    const marks = deployMarks(
      [made('c', 2_001), made('b', 2_000, 3), made('a', 1_000, 2), made('z', 999)],
      span,
    );
    expect(marks).toEqual([
      { deploymentId: 'a', at: 1_000, version: 'v2', hasLabel: true },
      { deploymentId: 'b', at: 2_000, version: 'v3', hasLabel: true },
    ]);
  });

  it('labels only the newest of several close deploys', () => {
    const marks = deployMarks([made('a', 1_500), made('b', 1_530), made('c', 1_549), made('d', 1_700)], span);
    expect(marks.map(({ hasLabel }) => hasLabel)).toEqual([false, false, true, true]);
  });
});
