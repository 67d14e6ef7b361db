/**
 * Logs and metrics are kept in one partition for each day, in UTC, because a whole day can then be dropped at once
 * when its time is over: deleting rows costs as much as writing them did. What is older than the oldest partition
 * goes to the default one. The arithmetic is here, the statements are in `telemetry-partitions.repository.ts`.
 */

export const TELEMETRY_TABLES = ['agent_logs', 'agent_metrics'] as const;
export type TelemetryTable = (typeof TELEMETRY_TABLES)[number];

/** Made in advance, so that a service whose housekeeping fails for days still has where to write. */
const DAYS_AHEAD = 7;
const DAY_MS = 24 * 60 * 60_000;

export interface DailyPartition {
  readonly name: string;
  /** Midnight, inclusive. */
  readonly from: Date;
  /** The next midnight, exclusive. */
  readonly to: Date;
}

/** The partition that holds this moment. */
export function partitionAt(table: TelemetryTable, moment: Date): DailyPartition {
  const from = new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS);
  const day = from.toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_p${day}`, from, to: new Date(from.getTime() + DAY_MS) };
}

/** Those of today and of the days ahead that don't exist yet. */
export function missingPartitions(
  table: TelemetryTable,
  existing: readonly string[],
  now: Date,
): DailyPartition[] {
  return Array.from({ length: DAYS_AHEAD + 1 }, (_, days) =>
    partitionAt(table, new Date(now.getTime() + days * DAY_MS)),
  ).filter(({ name }) => !existing.includes(name));
}

/** Names of those in which nothing is within its retention any more. Partitions of other names are not ours. */
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
