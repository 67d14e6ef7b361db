import { containsEmailName, hasOnlyServiceWords, isCommonPassword } from './common-passwords.js';

const MEBIBYTE = 1024 * 1024;

describe('isCommonPassword', () => {
  it.each(['password', 'PASSWORD', 'Password1!', 'Password2026!?', 'Qwerty-1', 'Iloveyou#1'])(
    'recognises %s',
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  it.each(['Correct-Horse-7', 'password-of-mine-1A', 'x1Password!', 'Ünïcödé-Wörter-7'])(
    'accepts %s',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );

  it('reads a text of 1 MiB in linear time', () => {
    expect(isCommonPassword(`${'1'.repeat(MEBIBYTE)}x`)).toBe(false);
    expect(isCommonPassword(`password${'1'.repeat(MEBIBYTE)}`)).toBe(true);
  });
});

describe('hasOnlyServiceWords', () => {
  it.each([
    ['Control-Plane-1', true],
    ['4gent-Svc-2026!', false],
    ['AgentAgents1!', true],
    ['Control-horse-7', false],
    ['12345678!', false],
    [`${'agent'.repeat(14)}x`, false],
  ])('of %s returns %s', (password, expected) => {
    expect(hasOnlyServiceWords(password)).toBe(expected);
  });
});

describe('containsEmailName', () => {
  it.each([
    ['My-Ada-7!', 'ada@example.com', true],
    ['ADA-lovelace', 'ada@example.com', true],
    ['Adam-and-Eve-7', 'ada@example.com', true],
    ['Correct-Horse-7', 'ada@example.com', false],
    ['Example.com-7', 'ada@example.com', false],
    ['Correct-Horse-7', 'co@example.com', false],
  ])('of %s with the email %s returns %s', (password, email, expected) => {
    expect(containsEmailName(password, email)).toBe(expected);
  });
});
