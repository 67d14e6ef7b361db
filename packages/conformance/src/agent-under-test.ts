import type { AgentEnd } from './evidence.js';

/** A running agent, for the kit. */
export interface AgentUnderTest {
  /** Null while it runs. */
  readonly end: AgentEnd | null;
  /** The last lines of its output. */
  readonly output: string;
  /**
   * Sends SIGTERM and, after the time limit, kills it. A second call has no effect.
   *
   * @returns true if it ended by itself
   */
  stop(patienceMs: number): Promise<boolean>;
  /** Kills it, as a power failure would; resolves after its end. */
  kill(): Promise<void>;
}

/** Starts an agent. @param now milliseconds since the scenario began @throws AgentNotStartedError */
export type Launch = (
  environment: Readonly<Record<string, string>>,
  secret: string,
  now: () => number,
) => Promise<AgentUnderTest>;
