import { costText, dollars, tokensText } from './amounts.js';

describe('Dollars', () => {
  it.each([
    ['0.000000', '$0.00'],
    ['0.412400', '$0.4124'],
    ['0.000001', '$0.000001'],
    ['20.500000', '$20.50'],
    ['9007199254740993.000001', '$9,007,199,254,740,993.000001'],
  ])('of %s are %s', (given, shown) => expect(dollars(given)).toBe(shown));
});

describe('What was used', () => {
  const usage = { input_tokens: 1_200, cache_read_tokens: 300, cache_write_tokens: 0, output_tokens: 450 };

  it('is reported with the cached part of the input', () => {
    expect(tokensText(usage)).toBe('1,500 in (300 cached), 450 out');
    expect(tokensText({ ...usage, cache_read_tokens: 0 })).toBe('1,200 in, 450 out');
  });

  it('is reported with the number of calls without a price', () => {
    expect(costText({ cost_usd: '0.410000', uncosted_calls: 0 })).toBe('$0.41');
    expect(costText({ cost_usd: '0.410000', uncosted_calls: 1 })).toBe('$0.41, and 1 call without a price');
  });
});
