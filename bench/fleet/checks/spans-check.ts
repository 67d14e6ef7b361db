import { SPANS_OF_A_RUN, USED_BY_A_RUN } from '../span-source.js';
import type { Stage } from '../stage.js';
import type { Evidence, Violate } from './evidence.js';
import type { TelemetryCounts } from './telemetry-check.js';

/** Usage by the names of the columns. */
type Used = Record<keyof typeof USED_BY_A_RUN, number>;
type Row = Used & { readonly spans: number };

const SUMS = Object.keys(USED_BY_A_RUN) as (keyof Used)[];

const SUMS_OF_ROWS = SUMS.map((name) => `sum(${name})::float8 AS ${name}`).join(', ');

export interface SpanCounts extends TelemetryCounts {
  /** Usage that the service has counted. */
  readonly used: Used;
}

/** Every span of an export that was answered with 200 is there, once, and what the agents used adds up exactly. */
export async function checkSpans({ stage, fleet }: Evidence, violate: Violate): Promise<SpanCounts> {
  const stored = await storedBy(stage, 'agent_id', 'usage_hourly');
  const counts = { acknowledged: 0, unsure: 0, stored: 0, used: noneUsed() };
  for (const { identity, spans } of fleet.agents) {
    const exports = [...spans.exports.values()];
    const acknowledged = exports.filter((isStored) => isStored).length;
    const row = stored.get(identity.id) ?? { ...noneUsed(), spans: 0 };
    const told = `${identity.id}: ${JSON.stringify(row)}; ${acknowledged} of ${exports.length} exports acknowledged`;
    if (row.spans < acknowledged * SPANS_OF_A_RUN) violate('acknowledged spans are not there', told);
    if (row.spans > exports.length * SPANS_OF_A_RUN) violate('spans are there that nobody sent', told);
    // an export is stored as a whole, and counted with that
    const runs = row.spans / SPANS_OF_A_RUN;
    if (SUMS.some((name) => row[name] !== runs * USED_BY_A_RUN[name]))
      violate('usage is not what the spans add up to', told);
    counts.acknowledged += acknowledged * SPANS_OF_A_RUN;
    counts.unsure += (exports.length - acknowledged) * SPANS_OF_A_RUN;
    counts.stored += row.spans;
    for (const name of SUMS) counts.used[name] += row[name];
  }
  await checkRunUsage({ stage, fleet }, violate);
  return counts;
}

/** Number of exports whose spans are stored in a database of their own, and whose usage is not counted yet. */
export async function uncountedUsage({ stage }: Pick<Evidence, 'stage'>): Promise<number> {
  // in one database spans and usage are one transaction
  const rows = await stage.queryTelemetry?.<{ count: number }>(
    'SELECT count(*)::int AS count FROM uncounted_usage',
  );
  return rows?.[0]?.count ?? 0;
}

/** A run has all of its spans and their sums, or neither. */
async function checkRunUsage(
  { stage, fleet }: Pick<Evidence, 'stage' | 'fleet'>,
  violate: Violate,
): Promise<void> {
  const stored = await storedBy(stage, 'run_id', 'run_usage');
  const expected: Row = { ...USED_BY_A_RUN, spans: SPANS_OF_A_RUN };
  for (const { spans } of fleet.agents) {
    for (const [runId, isStored] of spans.exports) {
      const row = stored.get(runId);
      const isWhole = (['spans', ...SUMS] as const).every((name) => row?.[name] === expected[name]);
      if (row ? !isWhole : isStored)
        violate('a run does not have its spans and what they add up to', `${runId}: ${JSON.stringify(row)}`);
    }
  }
}

/** Numbers of spans, and what is counted for them, by agent or by run. */
async function storedBy(
  { query, queryTelemetry = query }: Stage,
  owner: 'agent_id' | 'run_id',
  counts: 'usage_hourly' | 'run_usage',
): Promise<ReadonlyMap<string, Row>> {
  const spans = await queryTelemetry<{ id: string; count: number }>(
    `SELECT ${owner} AS id, count(*)::int AS count FROM agent_spans WHERE ${owner} IS NOT NULL GROUP BY 1`,
  );
  const used = await query<Used & { id: string }>(
    `SELECT ${owner} AS id, ${SUMS_OF_ROWS} FROM ${counts} GROUP BY 1`,
  );
  const stored = new Map<string, Row>(spans.map(({ id, count }) => [id, { ...noneUsed(), spans: count }]));
  for (const { id, ...sums } of used) stored.set(id, { spans: stored.get(id)?.spans ?? 0, ...sums });
  return stored;
}

function noneUsed(): Used {
  return Object.fromEntries(SUMS.map((name) => [name, 0])) as Used;
}
