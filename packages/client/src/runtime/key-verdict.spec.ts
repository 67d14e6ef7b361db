import { KeyVerdict } from './key-verdict.js';

describe('A final refusal of a key', () => {
  let now = 0;
  const verdict = () => new KeyVerdict(5_000, () => now);
  beforeEach(() => (now = 1_000));

  it('needs several refusals in a row, over some time', () => {
    const judge = verdict();
    expect([judge.refused(), judge.refused(), judge.refused(), judge.refused()]).not.toContain(true);
    now += 5_000;
    expect(judge.refused()).toBe(true);
  });

  it('needs more than a long time between two refusals', () => {
    const judge = verdict();
    judge.refused();
    now += 60_000;
    expect(judge.refused()).toBe(false);
    expect(judge.refused()).toBe(true);
  });

  it('needs new refusals after a success', () => {
    const judge = verdict();
    judge.refused();
    judge.refused();
    now += 60_000;
    judge.accepted();
    expect(judge.refused()).toBe(false);
  });
});
