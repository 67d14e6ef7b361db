/**
 * Logs, metrics, spans and the content of spans are stored in one partition for each day, in UTC, because a whole day can then be dropped at once
 * after its retention: deleting rows costs as much as writing them. Rows older than the oldest partition go to the
 * default one. The arithmetic is here, the statements are in `telemetry-partitions.repository.ts`.
 */

export const TELEMETRY_TABLES = [
  'agent_logs',
  'agent_metrics',
  'agent_spans',
  'agent_span_contents',
] as const;
export type TelemetryTable = (typeof TELEMETRY_TABLES)[number];

/** Partitions are created in advance, so that rows still have one if housekeeping fails for days. */
const DAYS_AHEAD = 7;
const DAY_MS = 24 * 60 * 60_000;

export interface DailyPartition {
  readonly name: string;
  /** Midnight, inclusive. */
  readonly from: Date;
  /** The next midnight, exclusive. */
  readonly to: Date;
}

/** The partition of a moment. */
export function partitionAt(table: TelemetryTable, moment: Date): DailyPartition {
  const from = new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);
  const day = from.toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_p${day}`, from, to: new Date(from.getTime() + DAY_MS) };
}

/** The partitions of today and of the days ahead that don't exist yet. */
export function missingPartitions(
  table: TelemetryTable,
  existing: readonly string[],
  now: Date,
): DailyPartition[] {
  return Array.from({ length: DAYS_AHEAD + 1 }, (_, days) =>
    partitionAt(table, new Date(now.getTime() + days * DAY_MS)),
  ).filter(({ name }) => !existing.includes(name));
}

/** Names of the partitions whose rows are all past their retention. Partitions with other names are left alone. */
export function expiredPartitions(
  table: TelemetryTable,
  existing: readonly string[],
  retentionDays: number,
  now: Date,
): string[] {
  const oldestKept = partitionAt(table, new Date(now.getTime() - retentionDays * DAY_MS)).name;
  const ours = new RegExp(`^${table}_p\\d{8}$`);
  return existing.filter((name) => ours.test(name) && name < oldestKept);
}
