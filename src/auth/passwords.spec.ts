import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import type { Settings } from '../config/settings.js';
import { RateLimitedError, UnavailableError } from '../errors/domain-error.js';
import { Passwords } from './passwords.js';

const EMAIL = 'ada@example.com';
const HERE = '192.0.2.1';
const passwords = new Passwords({ BCRYPT_COST: 4 } as Settings);

describe('Passwords', () => {
  afterEach(() => jest.restoreAllMocks());

  it('accepts a password that matches its hash', async () => {
    const hash = await passwords.hashNew('Correct-Horse-7', EMAIL, HERE);
    expect(await passwords.matches('Correct-Horse-7', hash, HERE)).toBe(true);
    expect(await passwords.matches('Correct-Horse-8', hash, HERE)).toBe(false);
  });

  it('refuses a longer password of which bcrypt would read only a part', async () => {
    const hash = await bcrypt.hash('x'.repeat(72), 4);
    expect(await bcrypt.compare('x'.repeat(73), hash)).toBe(true);
    expect(await passwords.matches('x'.repeat(73), hash, HERE)).toBe(false);
  });

  it('compares a hash of the same cost and returns false without an account', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    expect(await passwords.matches('anything', undefined, HERE)).toBe(false);
    expect(compare).toHaveBeenCalledTimes(1);
    expect(bcrypt.getRounds(String(compare.mock.calls[0]?.[1]))).toBe(4);
  });

  it('refuses another check of an address when too many of it wait, and of all when too many wait', async () => {
    let letGo = () => {};
    const gate = new Promise<boolean>((resolve) => (letGo = () => resolve(true)));
    jest.spyOn(bcrypt, 'compare').mockImplementation((() => gate) as never);
    const check = (address: string | null) => passwords.matches('x', 'hash', address);
    const times = (count: number, address: string) => Array.from({ length: count }, () => check(address));
    const admitted = times(20, HERE);
    await expect(check(HERE)).rejects.toThrow(RateLimitedError);
    // one IPv6 network is one caller
    admitted.push(...times(15, '2001:db8::1'), ...times(5, '2001:db8::2'));
    await expect(check('2001:db8::3')).rejects.toThrow(RateLimitedError);
    await expect(check('192.0.2.9')).rejects.toThrow(UnavailableError);
    letGo();
    expect(await Promise.all(admitted)).toEqual(Array(40).fill(true));
    expect(await check(HERE)).toBe(true);
  });
});
