import { jest } from '@jest/globals';
import { announcing, StreamPart } from './stream-part.js';

/** Handlers that record their arguments. */
function noting() {
  const calls: unknown[] = [];
  return {
    calls,
    onData: (data: unknown) => calls.push(data),
    onOpen: (mayHaveMissed: boolean) => calls.push({ mayHaveMissed }),
    onLost: () => calls.push('lost'),
  };
}

describe('A part of a stream', () => {
  it('is passed to each reader who was there when it came', () => {
    const part = new StreamPart<string>();
    const early = noting();
    part.follow(early);
    part.opened(true);
    part.pass('one');
    const late = noting();
    const leave = part.follow(late);
    part.pass('two');
    leave();
    part.lost();
    part.opened(false);
    expect(early.calls).toEqual([{ mayHaveMissed: true }, 'one', 'two', 'lost', { mayHaveMissed: false }]);
    expect(late.calls).toEqual([{ mayHaveMissed: true }, 'two']);
  });

  it('informs a reader who comes while the stream is lost', () => {
    const part = new StreamPart<string>();
    part.lost();
    const reader = noting();
    part.follow(reader);
    expect(reader.calls).toEqual(['lost']);
  });

  it('only announces data, at intervals, to a reader of a filtered list', () => {
    jest.useFakeTimers();
    try {
      const part = new StreamPart<string>();
      const reader = noting();
      const leave = announcing(part, 1_000).follow(reader);
      part.pass('one');
      part.pass('two');
      jest.advanceTimersByTime(1_000);
      expect(reader.calls).toEqual([{ mayHaveMissed: true }]);
      part.pass('three');
      leave();
      jest.advanceTimersByTime(5_000);
      expect(reader.calls).toHaveLength(1);
    } finally {
      jest.useRealTimers();
    }
  });
});
