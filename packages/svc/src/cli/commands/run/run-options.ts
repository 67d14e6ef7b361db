/** The command line of svc run. */
export interface RunOptions {
  /** The words of a program that is run to its end; empty: the agent's own, for as long as it is wanted. */
  readonly words: readonly string[];
  /** Name of the program's agent; undefined: that of the program. */
  readonly name: string | undefined;
  readonly agentId: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyDescriptor: number | undefined;
  readonly user: string | undefined;
  readonly stateDir: string | undefined;
  readonly policyFile: string | undefined;
  readonly metricsSeconds: number;
  readonly relaysTelemetry: boolean;
}
