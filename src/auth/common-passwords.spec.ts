import { containsEmailName, isCommonPassword } from './common-passwords.js';

describe('isCommonPassword', () => {
  it.each(['password', 'PASSWORD', 'Password1!', 'Password2026!?', 'Qwerty-1', 'Iloveyou#1'])(
    'recognises %s',
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  it.each(['Correct-Horse-7', 'password-of-mine-1A', 'x1Password!', 'Ünïcödé-Wörter-7'])(
    'lets %s pass',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );
});

describe('containsEmailName', () => {
  it.each([
    ['My-Ada-7!', 'ada@example.com', true],
    ['ADA-lovelace', 'ada@example.com', true],
    ['Adam-and-Eve-7', 'ada@example.com', true],
    ['Correct-Horse-7', 'ada@example.com', false],
    ['Example.com-7', 'ada@example.com', false],
    ['Correct-Horse-7', 'co@example.com', false],
  ])('of %s for %s is %s', (password, email, expected) => {
    expect(containsEmailName(password, email)).toBe(expected);
  });
});
