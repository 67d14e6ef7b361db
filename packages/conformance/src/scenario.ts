import type { Conditions } from './service/played-state.js';
import type { Stage } from './stage.js';

/** A story that is played to an agent. */
export interface Scenario {
  readonly name: string;
  /** One line, for `--list`. */
  readonly title: string;
  readonly conditions?: Partial<Conditions>;
  readonly play: (stage: Stage) => Promise<void>;
}
