export interface ExampleAgent {
  /** Resolves with the exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  /** Text that it wrote. */
  readonly output: string;
  /** Effect of SIGTERM. */
  terminate(): void;
  /** Effect of SIGKILL. */
  kill(): void;
}

/** @param traits names of faults, and of ways to be correct */
export function startExampleAgent(
  environment: Readonly<Record<string, string>>,
  traits: readonly string[],
): ExampleAgent;
