import type { Rule } from './checks/check.js';
import type { ReplicaKind } from './replica-config.js';
import type { Conditions } from './service/played-state.js';
import type { Stage } from './stage.js';

/** A scenario, which is played to an agent. */
export interface Scenario {
  readonly name: string;
  /** One line, for `--list`. */
  readonly title: string;
  readonly conditions?: Partial<Conditions>;
  /** The kind of replicas from the beginning on, also of those that run `CONFORMANCE_REPLICA_URL` and no config. */
  readonly replicas?: ReplicaKind;
  /** The rules of the scenario: one that it could not judge is reported. */
  readonly judges: readonly Rule[];
  readonly play: (stage: Stage) => Promise<void>;
}
