import { allTokens } from './tokens.js';

describe('The tokens of a usage', () => {
  it('count each token once', () => {
    const usage = {
      input_tokens: 1,
      cache_read_tokens: 10,
      cache_write_tokens: 100,
      output_tokens: 1_000,
      reasoning_tokens: 900,
    };
    expect(allTokens(usage)).toBe(1_111);
  });
});
