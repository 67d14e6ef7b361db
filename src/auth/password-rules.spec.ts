import { brokenPasswordRules, fitsBcrypt, passwordRefusal } from './password-rules.js';

const [length, bytes, uppercase, lowercase, number, special] = [
  'at least 8 characters',
  'at most 72 bytes',
  'at least one uppercase letter',
  'at least one lowercase letter',
  'at least one number',
  'at least one special character',
];

describe('brokenPasswordRules', () => {
  it.each([
    ['Passw0rd!', []],
    ['Pass w0rd', []],
    ['Pass_w0rd', []],
    ['Ünïcödé-7', []],
    ['Passw0r!', []],
    ['Pasw0r!', [length]],
    ['😀😀😀Aa1', [length]],
    ['passw0rd!', [uppercase]],
    ['PASSW0RD!', [lowercase]],
    ['Password!', [number]],
    ['Passw0rdx', [special]],
    ['', [length, uppercase, lowercase, number, special]],
    ['a'.repeat(73), [bytes, uppercase, number, special]],
  ])('of %j returns %j', (password, broken) => {
    expect(brokenPasswordRules(password)).toEqual(broken);
  });

  it('counts bytes, not characters, for the limit of bcrypt', () => {
    expect(fitsBcrypt('a'.repeat(72))).toBe(true);
    expect(fitsBcrypt('a'.repeat(73))).toBe(false);
    expect(fitsBcrypt('é'.repeat(36))).toBe(true);
    expect(fitsBcrypt(`${'é'.repeat(36)}a`)).toBe(false);
  });
});

describe('passwordRefusal', () => {
  it('names broken rules and common words in one message', () => {
    expect(passwordRefusal('password', 'ada@example.com')).toMatch(
      /^The password must have at least one uppercase letter, .*; it is one of the most common ones/,
    );
  });

  it('does not search the text of a password that is too long', () => {
    const marks = '\u0315\u0300'.repeat(250_000);
    expect(passwordRefusal(`Ada-1${marks}`, 'ada@example.com')).toBe(
      'The password must have at most 72 bytes',
    );
  });
});
