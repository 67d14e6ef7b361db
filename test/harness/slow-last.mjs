import TestSequencer from '@jest/test-sequencer';

/** Folders whose suites play whole stories from few lines: without times of an earlier run, Jest puts long files first. */
const LONG_STORIES = /\/test\/(conformance|examples|hostile|load|python)\//;

/**
 * Jest's own order, with the slow project last: the other two finish in a fraction of the time. Of that, long stories come
 * first, so that none of them is left when the other workers have nothing to do any more.
 */
export default class SlowLast extends TestSequencer {
  sort(tests) {
    const rank = ({ path, context }) => {
      if (context.config.displayName.name !== 'slow') return 0;
      return LONG_STORIES.test(path) ? 1 : 2;
    };
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
}
