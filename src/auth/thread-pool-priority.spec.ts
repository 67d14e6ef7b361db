import { getPriority } from 'node:os';
import { lowerThreadPoolPriority, poolThreads } from './thread-pool-priority.js';

describe('lowerThreadPoolPriority()', () => {
  it('lowers the priority of the hashing threads only', async () => {
    if (process.platform !== 'linux') return;
    const own = getPriority();
    await lowerThreadPoolPriority();
    const priorities = (await poolThreads()).map((thread) => getPriority(thread));
    expect(priorities).not.toHaveLength(0);
    expect(new Set(priorities)).toEqual(new Set([Math.min(19, own + 5)]));
    expect(getPriority()).toBe(own);
  });
});
