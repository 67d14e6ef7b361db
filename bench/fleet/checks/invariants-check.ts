import { boundsOf, check, INVARIANTS, type Query, runningSeconds } from '../../../src/audit/audit.js';
import { readSettings } from '../../../src/config/settings.js';
import type { Stage } from '../stage.js';
import type { Violate } from './evidence.js';

/** Runs the invariants of the data audit while the fleet works. Each statement has a snapshot of its own. */
export async function checkInvariants(stage: Stage, violate: Violate): Promise<void> {
  const query: Query = (statement, parameters) => stage.query(statement, parameters);
  const bounds = boundsOf(readSettings({}), await runningSeconds(query));
  for (const invariant of INVARIANTS) {
    const { name, count, ids } = await check(query, invariant, bounds);
    if (count) violate(`the data is not as it must be: ${name}`, `${count}, ${ids[0]} among them`);
  }
}
