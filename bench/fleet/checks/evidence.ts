import type { Fleet } from '../fleet.js';
import type { Plan } from '../plan.js';
import type { Person } from '../person.js';
import type { Stage } from '../stage.js';
import type { UserDriver } from '../user-driver.js';

/** The records of both sides of a run, for the checks to compare. */
export interface Evidence {
  readonly plan: Plan;
  readonly stage: Stage;
  readonly fleet: Fleet;
  readonly driver: UserDriver;
  readonly person: Person;
}

/** Reports a violation: its kind and one example. */
export type Violate = (kind: string, example: string) => void;
