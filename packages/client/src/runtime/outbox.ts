import type { ServiceLink } from './service-link.js';

/** Entries on their way to the service. */
export interface Outbox {
  /** Sends until the signal aborts. @throws KeyRefusedError, or the signal's reason */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when nothing waits any more. */
  flushed(): Promise<void>;
}

export type StartOutbox = (link: ServiceLink) => Outbox;
