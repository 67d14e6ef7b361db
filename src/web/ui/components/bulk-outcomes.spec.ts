import { doneOutcome, progressText, refusedOutcome } from './bulk-outcomes.js';

describe('progressText', () => {
  it('counts completed and refused items', () => {
    expect(progressText([], 2)).toBe('0 of 2 done');
    expect(progressText([doneOutcome({ id: '1' }), refusedOutcome(new Error('No'))], 2)).toBe(
      '1 of 2 done, 1 refused',
    );
  });

  it('counts by outcome when the outcomes differ', () => {
    const outcomes = ['started', 'restarted one by one', 'started'].map(doneOutcome);
    expect(progressText([...outcomes, refusedOutcome('No')], 5)).toBe(
      '3 of 5 done (1 restarted one by one, 2 started), 1 refused',
    );
  });
});
