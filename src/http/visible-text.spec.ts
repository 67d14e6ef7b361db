import { isWhatIsSeen } from './visible-text.js';

describe('isWhatIsSeen', () => {
  it.each(['invoice-reader', 'Größe 7 €', '請求書', 'می‌خواهم', '👩‍🚀 pilot', 'क्‍ष', 'a b'])(
    'is true for what people write: %s',
    (text) => {
      expect(isWhatIsSeen(text)).toBe(true);
    },
  );

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
  ])('is false for text with zero-width characters or overrides of direction: %j', (text) => {
    expect(isWhatIsSeen(text)).toBe(false);
  });
});
