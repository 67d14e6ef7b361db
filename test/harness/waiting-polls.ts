import { jest } from '@jest/globals';
import { CommandQueueService } from '../../src/commands/command-queue.service.js';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/**
 * Begins polls, and resolves when each of them has read an empty queue and waits: later changes have to wake them.
 *
 * @param instance which gets the polls; no other client may poll it meanwhile
 */
export async function waitingPolls<Reply>(
  instance: TestApp,
  count: number,
  send: (index: number) => Promise<Reply>,
): Promise<Promise<Reply>[]> {
  const looks = jest.spyOn(instance.app.get(CommandQueueService), 'lease');
  try {
    const replies = Array.from({ length: count }, (_, index) => send(index));
    await until(() => looks.mock.calls.length >= count);
    await Promise.all(looks.mock.results.map(({ value }) => value));
    return replies;
  } finally {
    looks.mockRestore();
  }
}
