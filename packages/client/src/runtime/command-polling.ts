import { unwrap } from '../service-client.js';
import { Backoff } from './backoff.js';
import type { CommandExecution } from './command-execution.js';
import { UnexpectedReplyError } from './runtime-errors.js';
import type { ServiceLink } from './service-link.js';

/** Seconds; half of what HAProxy and load balancers allow a silent connection in their defaults. */
const WAIT_SECONDS = 25;
/** Longer than that the service does not wait: then the connection is dead. */
const TIMEOUT_MS = (WAIT_SECONDS + 15) * 1_000;
const LIMIT = 50;
/** An empty answer that comes sooner than this was not waited for. */
const EARLY_MS = 1_000;

/** Waits for commands until it is told to end. @throws KeyRefusedError, or the signal's reason */
export async function pollCommands(
  link: ServiceLink,
  execution: CommandExecution,
  signal: AbortSignal,
): Promise<void> {
  const early = new Backoff(500, 5_000);
  for (;;) {
    const asked = performance.now();
    const { commands } = await link.retryForever(
      async (service, ended) => {
        const query = { wait: WAIT_SECONDS, limit: LIMIT };
        const reply = await unwrap(service.GET('/agents/commands', { params: { query }, signal: ended }));
        if (!Array.isArray(reply.commands)) throw new UnexpectedReplyError('The reply holds no commands');
        return reply;
      },
      signal,
      TIMEOUT_MS,
    );
    const hasNews = commands.map((command) => execution.take(command)).includes(true);
    // a service that is ending answers early, and so does one that does not wait: neither is to be hammered
    if (!hasNews && performance.now() - asked < EARLY_MS) await link.pause(early.next(), signal);
    else early.reset();
  }
}
