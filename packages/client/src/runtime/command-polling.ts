import { unwrap } from '../service-client.js';
import { Backoff } from './backoff.js';
import type { CommandExecution } from './command-execution.js';
import { PollWait } from './poll-wait.js';
import { UnexpectedReplyError } from './runtime-errors.js';
import type { ServiceLink } from './service-link.js';

/** Time after a poll's own wait without an answer, after which the connection counts as dead. */
const PATIENCE_MS = 15_000;
const LIMIT = 50;
/** An empty answer within this time came without a wait. */
const EARLY_MS = 1_000;

/** Polls for commands until the signal aborts. @throws KeyRefusedError, or the signal's reason */
export async function pollCommands(
  link: ServiceLink,
  execution: CommandExecution,
  signal: AbortSignal,
): Promise<void> {
  const early = new Backoff(500, 5_000);
  const wait = new PollWait();
  for (;;) {
    const asked = performance.now();
    const { commands } = await link.retryForever(
      async (service, ended) => {
        const began = performance.now();
        const query = { wait: wait.seconds, limit: LIMIT };
        const poll = unwrap(service.GET('/agents/commands', { params: { query }, signal: ended }));
        const reply = await poll.catch((error: unknown) => {
          wait.failed(error, performance.now() - began);
          throw error;
        });
        if (!Array.isArray(reply.commands)) throw new UnexpectedReplyError('The reply holds no commands');
        return reply;
      },
      signal,
      wait.seconds * 1_000 + PATIENCE_MS,
    );
    const hasNews = commands.map((command) => execution.take(command)).includes(true);
    // a service that is ending answers early, and so does one that does not wait; a pause avoids a tight loop
    if (!hasNews && performance.now() - asked < EARLY_MS) await link.pause(early.next(), signal);
    else early.reset();
  }
}
