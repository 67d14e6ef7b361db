import type { AgentEnd } from './evidence.js';

/** A running agent, as the kit sees and ends it. */
export interface AgentUnderTest {
  /** Null while it runs. */
  readonly end: AgentEnd | null;
  /** The last lines of what it wrote. */
  readonly output: string;
  /**
   * Asks it to end and, when it does not, ends it. A second call has no effect.
   *
   * @returns whether it ended by itself
   */
  stop(patienceMs: number): Promise<boolean>;
  /** Ends it as a power failure does; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts an agent. @param now milliseconds since the scenario began @throws AgentNotStartedError */
export type Launch = (
  environment: Readonly<Record<string, string>>,
  secret: string,
  now: () => number,
) => Promise<AgentUnderTest>;
