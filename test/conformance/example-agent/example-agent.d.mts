export interface ExampleAgent {
  /** Resolves with the exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  /** What it wrote. */
  readonly output: string;
  /** What SIGTERM does. */
  terminate(): void;
  /** What SIGKILL does. */
  kill(): void;
}

/** @param traits names of faults, and of ways to be correct */
export function startExampleAgent(
  environment: Readonly<Record<string, string>>,
  traits: readonly string[],
): ExampleAgent;
