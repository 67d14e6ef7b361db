import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import type { Settings } from '../config/settings.js';
import { UnavailableError } from '../errors/domain-error.js';
import { Passwords } from './passwords.js';

const passwords = new Passwords({ BCRYPT_COST: 4 } as Settings);

describe('Passwords', () => {
  afterEach(() => jest.restoreAllMocks());

  it('accepts a password that matches its hash', async () => {
    const hash = await passwords.hash('Correct-Horse-7');
    expect(await passwords.matches('Correct-Horse-7', hash)).toBe(true);
    expect(await passwords.matches('Correct-Horse-8', hash)).toBe(false);
  });

  it('refuses a longer password of which bcrypt would read only a part', async () => {
    const hash = await passwords.hash('x'.repeat(72));
    expect(await bcrypt.compare('x'.repeat(73), hash)).toBe(true);
    expect(await passwords.matches('x'.repeat(73), hash)).toBe(false);
  });

  it('compares a hash of the same cost and returns false without an account', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    expect(await passwords.matches('anything', undefined)).toBe(false);
    expect(compare).toHaveBeenCalledTimes(1);
    expect(bcrypt.getRounds(String(compare.mock.calls[0]?.[1]))).toBe(4);
  });

  it('refuses another check when too many wait for a thread', async () => {
    let letGo = () => {};
    const gate = new Promise<boolean>((resolve) => (letGo = () => resolve(true)));
    jest.spyOn(bcrypt, 'compare').mockImplementation((() => gate) as never);
    const admitted = Array.from({ length: 202 }, () => passwords.matches('x', 'hash'));
    await expect(passwords.matches('x', 'hash')).rejects.toThrow(UnavailableError);
    letGo();
    expect(await Promise.all(admitted)).toEqual(Array(202).fill(true));
  });
});
