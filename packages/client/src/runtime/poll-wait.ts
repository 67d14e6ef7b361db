import { ServiceError } from '../service-errors.js';
import { isConnectionFailure } from './service-link.js';

/** Half of what HAProxy and load balancers allow a silent connection in their defaults. */
const FIRST_SECONDS = 25;
const LEAST_SECONDS = 10;
/** What fails sooner was not waited for: nobody is there. */
const EARLY_MS = 1_000;

/** How long a poll may wait: less and less where a proxy ends polls that wait. */
export class PollWait {
  seconds = FIRST_SECONDS;

  /** @param afterMs the time from the poll to its failure */
  failed(error: unknown, afterMs: number): void {
    if (afterMs < EARLY_MS || !isEndOfProxy(error)) return;
    this.seconds = Math.max(LEAST_SECONDS, Math.floor(this.seconds / 2));
  }
}

function isEndOfProxy(error: unknown): boolean {
  if (error instanceof ServiceError) return error.status === 502 || error.status === 504;
  return isConnectionFailure(error);
}
