/** The number of the protocol that `AgentRuntime` speaks. */
export const PROTOCOL = 1;

/** Name, version and protocol that a runtime gives when it registers. */
export interface Software {
  readonly name: string;
  readonly version: string;
}

/** This package. The version is not read from `package.json`: a program that is bundled has none next to it. */
export const OWN_SOFTWARE: Software = { name: '@agent-control-plane/client', version: '1.0.0' };
