import type { ServiceLink } from './service-link.js';

/** Takes runs of the agent and carries them out, for a program that does that itself, as `svc run` does. */
export interface RunWork {
  /**
   * Ids of all runs that it has. Heartbeats and registrations name them, which renews their leases. Undefined: nothing is to
   * be said of runs.
   */
  held(): string[] | undefined;
  /** Ends runs before their time: they were cancelled or took too long. Unknown ids are ignored. */
  endEarly(runIds: readonly string[]): void;
  /**
   * Registers while no claim is under way: the service abandons the runs that a registration does not name, and a claim
   * whose reply is not here yet may have been given some.
   */
  registering<Reply>(register: () => Promise<Reply>, signal: AbortSignal): Promise<Reply>;
  /** Takes runs until the signal aborts. Called after the first registration. @throws KeyRefusedError, or the signal's reason */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when the service has answered everything that there was to say. */
  settled(): Promise<void>;
}

/** @param sending aborts when no further request may be sent */
export type StartRunWork = (link: ServiceLink, sending: AbortSignal) => RunWork;
