import { middleCut } from './middle-cut.js';

describe('middleCut', () => {
  it.each([
    ['reader-one', 10, 'reader-one'],
    ['invoice-reader-eu-0001', 11, 'invoi…-0001'],
    ['invoice-reader-eu-0002', 12, 'invoic…-0002'],
    ['😀😀😀😀😀', 3, '😀…😀'],
  ])('shows %j in %d characters as %j', (name, most, expected) => {
    expect(middleCut(name, most)).toBe(expected);
  });
});
