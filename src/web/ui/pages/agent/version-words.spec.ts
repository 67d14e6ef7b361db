import type { VersionFigures } from '../../api/version-statistics.js';
import { VERSION_MEASURES } from './version-words.js';

const NONE: VersionFigures = {
  config_version: 3,
  runs: 0,
  succeeded: 0,
  failed: 0,
  success_rate: null,
  running_seconds: null,
  cost_usd: '0.000000',
  cost_usd_per_run: null,
  uncosted_calls: 0,
};

const texts = (part: Partial<VersionFigures>) =>
  VERSION_MEASURES.map(({ text }) => text({ ...NONE, ...part }));

describe('The comparison of config versions', () => {
  it('contains runs, success, times and the cost of a run', () => {
    const figures = {
      runs: 1_200,
      succeeded: 1_199,
      failed: 1,
      success_rate: 1_199 / 1_200,
      running_seconds: { p50: 1.24, p95: 200 },
      cost_usd_per_run: '0.012400',
    };
    expect(texts(figures)).toEqual(['1,200', '99.9 % (1,199 of 1,200)', '1.2 s', '3 min 20 s', '$0.0124']);
  });

  it('names calls without a price next to the cost', () => {
    expect(texts({ runs: 2, cost_usd_per_run: '1.500000', uncosted_calls: 4 }).at(-1)).toBe(
      '$1.50 and 4 calls without a price',
    );
  });

  it('says nothing but their number of a version without runs', () => {
    expect(texts({})).toEqual(['0', null, null, null, null]);
  });
});
