/** The number of the protocol that `AgentRuntime` speaks. */
export const PROTOCOL = 1;

/** Name, version and protocol that a runtime gives when it registers. */
export interface Software {
  readonly name: string;
  readonly version: string;
}

/** The name and version of this package. The version is not read from `package.json`, which a bundled program lacks. */
export const OWN_SOFTWARE: Software = { name: '@agent-control-plane/client', version: '1.0.0' };
