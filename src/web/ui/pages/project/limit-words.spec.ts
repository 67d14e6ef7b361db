import { limitText } from './limit-words.js';

describe('The text of a limit', () => {
  it.each([
    ['agents', 12_000, '12,000'],
    ['logs', 53_687_091_200, '50 GiB'],
    ['metrics', 0, '0 B'],
    ['config_bytes', 1_600, '1.56 KiB'],
    ['log_days', 1, '1 day'],
    ['run_days', 90, '90 days'],
  ] as const)('has the unit of %s', (kind, amount, text) => {
    expect(limitText(kind, amount)).toBe(text);
  });
});
