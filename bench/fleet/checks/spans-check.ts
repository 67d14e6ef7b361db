import { SPANS_OF_A_RUN, USED_BY_A_RUN } from '../span-source.js';
import type { Evidence, Violate } from './evidence.js';
import type { TelemetryCounts } from './telemetry-check.js';

/** What was used, by the names of the columns. */
type Used = Record<keyof typeof USED_BY_A_RUN, number>;
type Row = Used & { readonly spans: number };

const SUMS = Object.keys(USED_BY_A_RUN) as (keyof Used)[];

const SUMS_OF_ROWS = SUMS.map((name) => `sum(${name})::float8 AS ${name}`).join(', ');

export interface SpanCounts extends TelemetryCounts {
  /** What the service has counted. */
  readonly used: Used;
}

/** Every span of an export that was answered with 200 is there, once, and what the agents used adds up exactly. */
export async function checkSpans({ stage, fleet }: Evidence, violate: Violate): Promise<SpanCounts> {
  const rows = await stage.query<Row & { agent_id: string }>(
    `SELECT agent_id, ${SUMS_OF_ROWS}, (SELECT count(*) FROM agent_spans AS span WHERE span.agent_id = used.agent_id)::int AS spans
     FROM usage_hourly AS used GROUP BY agent_id`,
  );
  const stored = new Map(rows.map((row) => [row.agent_id, row]));
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

/** A run has all of its spans and what they add up to, or none of both. */
async function checkRunUsage(
  { stage, fleet }: Pick<Evidence, 'stage' | 'fleet'>,
  violate: Violate,
): Promise<void> {
  const rows = await stage.query<Row & { run_id: string }>(
    `SELECT run_id, ${SUMS_OF_ROWS}, (SELECT count(*) FROM agent_spans AS span WHERE span.run_id = used.run_id)::int AS spans
     FROM run_usage AS used GROUP BY run_id`,
  );
  const stored = new Map(rows.map((row) => [row.run_id, row]));
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

function noneUsed(): Used {
  return Object.fromEntries(SUMS.map((name) => [name, 0])) as Used;
}
