import { KeyedLimit } from './keyed-limit.js';

const refusal = () => new Error('too many');

describe('KeyedLimit', () => {
  it('refuses work past the limit of its key at once, and does not affect other keys', async () => {
    const limit = new KeyedLimit(2);
    const ends: (() => void)[] = [];
    const work = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
    const admitted = [limit.run('one', work, refusal), limit.run('one', work, refusal)];
    await expect(limit.run('one', work, refusal)).rejects.toThrow('too many');
    admitted.push(limit.run('other', work, refusal));
    expect(ends).toHaveLength(3);
    for (const end of ends) end();
    expect(await Promise.all(admitted)).toEqual(['done', 'done', 'done']);
  });

  it('releases the slot when the work ends or fails', async () => {
    const limit = new KeyedLimit(1);
    await expect(limit.run('one', () => Promise.reject(new Error('failed')), refusal)).rejects.toThrow(
      'failed',
    );
    expect(await limit.run('one', () => Promise.resolve('first'), refusal)).toBe('first');
    expect(await limit.run('one', () => Promise.resolve('second'), refusal)).toBe('second');
  });
});
