import { costText, roundCostText, uncostedText } from './amounts.js';

describe('Amounts', () => {
  it.each([
    ['0.012400', '$0.0124'],
    ['1234.500000', '$1,234.50'],
    ['0.000000', '$0.00'],
    ['0.000001', '$0.000001'],
  ])('tell a cost of %s', (cost, text) => {
    expect(costText(cost)).toBe(text);
  });

  it.each([
    ['0.012401', '$0.012401'],
    ['12.345678', '$12.35'],
    ['0.999999', '$0.999999'],
  ])('tell a sum of %s, in cents from a dollar on', (cost, text) => {
    expect(roundCostText(cost)).toBe(text);
  });

  it.each([
    [0, null],
    [1, '1 call without a price'],
    [1_200, '1,200 calls without a price'],
  ])('say that %d calls have no price', (uncosted_calls, text) => {
    expect(uncostedText({ uncosted_calls })).toBe(text);
  });
});
