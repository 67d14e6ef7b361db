import { jest } from '@jest/globals';
import bcrypt from 'bcrypt';
import type { Settings } from '../config/settings.js';
import { UnavailableError } from '../errors/domain-error.js';
import { Passwords } from './passwords.js';

const passwords = new Passwords({ BCRYPT_COST: 4 } as Settings);

describe('Passwords', () => {
  afterEach(() => jest.restoreAllMocks());

  it('knows a password by its hash', async () => {
    const hash = await passwords.hash('Correct-Horse-7');
    expect(await passwords.matches('Correct-Horse-7', hash)).toBe(true);
    expect(await passwords.matches('Correct-Horse-8', hash)).toBe(false);
  });

  it('does not take what bcrypt cuts off for nothing', async () => {
    const hash = await passwords.hash('x'.repeat(72));
    expect(await bcrypt.compare('x'.repeat(73), hash)).toBe(true);
    expect(await passwords.matches('x'.repeat(73), hash)).toBe(false);
  });

  it('is never right without an account, but checks all the same, at the same cost', async () => {
    const compare = jest.spyOn(bcrypt, 'compare');
    expect(await passwords.matches('anything', undefined)).toBe(false);
    expect(compare).toHaveBeenCalledTimes(1);
    expect(bcrypt.getRounds(String(compare.mock.calls[0]?.[1]))).toBe(4);
  });

  it('turns people away when nobody more would be answered in time', async () => {
    let letGo = () => {};
    const gate = new Promise<boolean>((resolve) => (letGo = () => resolve(true)));
    jest.spyOn(bcrypt, 'compare').mockImplementation((() => gate) as never);
    const admitted = Array.from({ length: 202 }, () => passwords.matches('x', 'hash'));
    await expect(passwords.matches('x', 'hash')).rejects.toThrow(UnavailableError);
    letGo();
    expect(await Promise.all(admitted)).toEqual(Array(202).fill(true));
  });
});
