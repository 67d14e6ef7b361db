import TestSequencer from '@jest/test-sequencer';

/** Jest's own order, with the slow project last: the other two finish in a fraction of the time. */
export default class SlowLast extends TestSequencer {
  sort(tests) {
    const isSlow = ({ context }) => context.config.displayName.name === 'slow';
    return super.sort(tests).sort((one, other) => isSlow(one) - isSlow(other));
  }
}
