import { isWhatIsSeen, whatIsSeen } from './seen-text.js';

describe('isWhatIsSeen', () => {
  it.each([
    'invoice-reader',
    'Größe 7 €',
    '請求書',
    'می‌خواهم',
    '👩‍🚀 pilot',
    'क्‍ष',
    'a b',
    'nai\u0308ve',
    '1\uFE0F\u20E3 ❤\uFE0F ©\uFE0F',
    '葛\u{E0100}城',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
  ])('is true for what people write: %s', (text) => {
    expect(isWhatIsSeen(text)).toBe(true);
  });

  it.each([
    '\u200B',
    'prod\u200Buction',
    'prod\u200Duction',
    'prod\u200C',
    '\u200Dprod',
    '\u2060\uFEFF',
    'gpj.\u202Eexe',
    '\u2066admin\u2069',
    'soft\u00ADhyphen',
    '\u3164',
    '\u061Cadmin',
    'prod\u034Fuction',
    'prod\uFE0Fuction',
    'prod\u{E0100}uction',
    '❤\uFE0F\uFE0E',
    'prod\uFFF9uction',
    'reader\u{E0069}\u{E0067}',
    'a\u{1D173}b',
  ])('is false for text with zero-width characters or overrides of direction: %j', (text) => {
    expect(isWhatIsSeen(text)).toBe(false);
  });
});

describe('whatIsSeen', () => {
  it.each([
    ['prod\u200Buc\u200Dtion', 'production'],
    ['\u200D\u200Cprod\u200C\u200D', 'prod'],
    ['می‌خواهم 👩‍🚀', 'می‌خواهم 👩‍🚀'],
    ['\u3164\uFEFF', ''],
  ])('is the text %j as people see it', (text, seen) => {
    expect(whatIsSeen(text)).toBe(seen);
    expect(isWhatIsSeen(whatIsSeen(text))).toBe(true);
  });
});
