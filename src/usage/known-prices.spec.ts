import { calcPrice } from '@pydantic/genai-prices';
import { listedPrice } from './known-prices.js';

/** Numbers without a pattern, the same in each run. */
const amounts = Array.from({ length: 40 }, (_, index) => ((index + 1) * 7_919) % 250_003);

describe('The listed price of a call', () => {
  it.each([
    ['gpt-4o', 'openai'],
    ['gpt-4o-2024-08-06', null],
    ['claude-3-5-haiku-latest', 'anthropic'],
    ['claude-sonnet-4-5', 'anthropic'],
    ['gemini-2.5-pro', 'google'],
    ['deepseek-chat', 'deepseek'],
    ['sonar', 'perplexity'],
  ])('is that of the package, when it is for %s of the provider %s', (model, provider) => {
    const at = new Date('2025-09-01T12:00:00Z');
    for (const [index, input] of amounts.entries()) {
      const [cacheRead, cacheWrite, output] = [1, 2, 3].map((step) => amounts[(index + step) % 40]!);
      const others = {
        cache_read_tokens: cacheRead!,
        cache_write_tokens: cacheWrite!,
        output_tokens: output!,
      };
      const tokens = { input_tokens: input, ...others, reasoning_tokens: 0 };
      const told = { input_tokens: input + cacheRead! + cacheWrite!, ...others };
      const price = calcPrice(told, model, { timestamp: at, ...(provider && { providerId: provider }) })!;
      // half a millionth may be rounded either way
      const difference = listedPrice({ model, provider, at, tokens })! - price.total_price * 1_000_000;
      expect(Math.abs(difference)).toBeLessThanOrEqual(0.5001);
    }
  });

  it('is unknown, when nobody lists the model', () => {
    const at = new Date('2025-09-01T12:00:00Z');
    const none = { cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 };
    const tokens = { input_tokens: 1, output_tokens: 1, ...none };
    expect(listedPrice({ model: 'no-such-model', provider: null, at, tokens })).toBeNull();
  });
});
