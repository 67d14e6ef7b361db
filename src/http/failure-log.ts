import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';

/** Minimum time between two log lines of a repeated failure; milliseconds. */
const REPEAT_INTERVAL_MS = 10_000;
/** Maximum number of kinds of failures that are counted separately; past it the least recent kind is dropped. */
const MAXIMUM_KINDS = 100;

/** The parts of a request that are logged. Body and query are left out, because they may hold secrets. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly request_id: string;
}

interface Repeated {
  count: number;
  last: FailedRequest;
}

/**
 * Logs the first failure of a kind with its stack, and counts those that follow: an outage of the database fails
 * thousands of requests in the same way, and a stack for each would hide other failures. While a kind repeats there is
 * a line every ten seconds with the count and the last request; after ten seconds without one, its next failure counts
 * as the first again.
 */
export class FailureLog {
  private readonly kinds = new LRUCache<string, Repeated>({ max: MAXIMUM_KINDS });

  constructor(private readonly logger: Logger) {}

  add(level: 'warn' | 'error', error: unknown, request: FailedRequest): void {
    const kind = kindOf(error, request.status);
    const repeated = this.kinds.get(kind);
    if (repeated) {
      repeated.count++;
      repeated.last = request;
      return;
    }
    this.logger[level]({ err: error, ...request }, 'request failed');
    this.kinds.set(kind, { count: 0, last: request });
    this.reportLater(kind, level);
  }

  private reportLater(kind: string, level: 'warn' | 'error'): void {
    const report = () => {
      const repeated = this.kinds.get(kind);
      if (!repeated || repeated.count === 0) {
        this.kinds.delete(kind);
        return;
      }
      this.logger[level](
        { kind, repeated: repeated.count, last: repeated.last },
        'more requests failed in the same way',
      );
      repeated.count = 0;
      this.reportLater(kind, level);
    };
    // The timer must not keep the process alive.
    setTimeout(report, REPEAT_INTERVAL_MS).unref();
  }
}

/**
 * Kind of a failure: the source line of the throw. The message is not used, because it may contain values of the
 * request.
 */
function kindOf(error: unknown, status: number): string {
  if (!(error instanceof Error)) return `${status} ${typeof error}`;
  const { code } = error as { code?: unknown };
  const place = /\n[ \t]+at (.+)/.exec(error.stack ?? '')?.[1] ?? 'nowhere';
  return [status, error.name, typeof code === 'string' ? code : '', place].join(' ');
}
