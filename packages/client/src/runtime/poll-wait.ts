import { ServiceError } from '../service-errors.js';
import { isConnectionFailure } from './service-link.js';

/** Half of the default timeout of HAProxy and load balancers for a silent connection. */
const FIRST_SECONDS = 25;
const LEAST_SECONDS = 10;
/** A failure within this time came without a wait: the server is unreachable. */
const EARLY_MS = 1_000;

/** The time that a poll waits: shorter and shorter if a proxy ends waiting polls. */
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
