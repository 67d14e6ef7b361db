import type { TimelineEntry } from '../../api/agent-timeline.js';

/** Least number of runs in a row that take one line. */
const LEAST = 3;

/** Entries that take one line: one entry, or runs in a row that came to the same. */
export type TimelineLine = readonly [newest: TimelineEntry, ...older: TimelineEntry[]];

/** The lines of a timeline: many runs in a row that came to the same don't bury what else happened. Pure. */
export function timelineLines(entries: readonly TimelineEntry[]): TimelineLine[] {
  const rows: [TimelineEntry, ...TimelineEntry[]][] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (last && isAlike(last[0], entry)) last.push(entry);
    else rows.push([entry]);
  }
  return rows.flatMap((row): TimelineLine[] => (row.length < LEAST ? row.map((entry) => [entry]) : [row]));
}

function isAlike(one: TimelineEntry, other: TimelineEntry): boolean {
  return one.kind === 'run' && other.kind === 'run' && one.event === other.event && one.ended_at !== null;
}
