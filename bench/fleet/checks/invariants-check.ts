import { boundsOf, check, INVARIANTS, runningSeconds } from '../../../src/audit/audit.js';
import type { AcrossDatabases } from '../../../src/audit/invariant.types.js';
import { readSettings } from '../../../src/config/settings.js';
import type { Stage } from '../stage.js';
import type { Violate } from './evidence.js';

/** Runs the invariants of the data audit while the fleet works. Each statement has a snapshot of its own. */
export async function checkInvariants(stage: Stage, violate: Violate): Promise<void> {
  const { query, queryTelemetry } = stage;
  const bounds = boundsOf(readSettings({}), await runningSeconds(query));
  for (const invariant of INVARIANTS) {
    const { name, telemetry } = invariant;
    const { count, ids } =
      queryTelemetry && typeof telemetry === 'object'
        ? await compare(stage, telemetry)
        : await check(queryTelemetry && telemetry ? queryTelemetry : query, invariant, bounds);
    if (count) violate(`the data is not as it must be: ${name}`, `${count}, ${ids[0]} among them`);
  }
}

/** The fleet deletes nothing, so what telemetry names stays in the main database. */
async function compare({ query, queryTelemetry = query }: Stage, { keys, offenders }: AcrossDatabases) {
  const named = await queryTelemetry<{ key: string }>(keys);
  const rows = await query<{ id: string }>(offenders, [named.map(({ key }) => key)]);
  return { count: rows.length, ids: rows.map(({ id }) => id) };
}
