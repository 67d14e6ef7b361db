import type { LiveItem, LivePage } from '../live/live-poller.js';
import type { RunEventResponse } from '../runs/run-event.response.js';
import type { RunState } from '../runs/run.types.js';
import { formatRunStreamPosition, markOf, type RunStreamPosition } from './run-stream-position.js';
import type { StoredLog } from './telemetry.types.js';

/** The events of a run's stream. */
export type RunStreamRow =
  | { readonly type: 'event'; readonly event: RunEventResponse }
  | { readonly type: 'log'; readonly log: StoredLog }
  | { readonly type: 'progress'; readonly progress: NonNullable<RunState['progress']> };

/** The items after a position. */
export interface RunNews {
  readonly events: { readonly items: readonly RunEventResponse[]; readonly hasMore: boolean };
  readonly logs: LivePage<StoredLog>;
  readonly progress: RunState['progress'];
  /** The position of a reader who has read all of it, but for the logs, whose page has its own. */
  readonly goal: Omit<RunStreamPosition, 'log'>;
  /** The position of the logs at which the run is over; null: wherever the page of logs ends. */
  readonly lastLog: string | null;
}

/**
 * Makes one page of the events, the log entries and the progress of a run. Events and entries are in the order of their ids, which
 * are in the order of time, and never change their own order; the progress, of which only the present state is known, comes last.
 * A list that continues in the next page takes everything after it there, so that no reader misses a row in between. Pure.
 */
export function runStreamPage(from: RunStreamPosition, news: RunNews): LivePage<RunStreamRow> {
  const { events, logs, goal } = news;
  const items: LiveItem<RunStreamRow>[] = [];
  let at: RunStreamPosition = { ...from, isOver: false };
  const add = (row: RunStreamRow, change: Partial<RunStreamPosition>) => {
    at = { ...at, ...change };
    items.push({ row, position: formatRunStreamPosition(at) });
  };
  let [event, log] = [0, 0];
  while (event < events.items.length || log < logs.items.length) {
    const [nextEvent, nextLog] = [events.items[event], logs.items[log]];
    if ((!nextEvent && events.hasMore) || (!nextLog && logs.hasMore)) break;
    if (nextEvent && (!nextLog || nextEvent.id < nextLog.row.id)) {
      add({ type: 'event', event: nextEvent }, { sequence: nextEvent.sequence });
      event++;
    } else if (nextLog) {
      add({ type: 'log', log: nextLog.row }, { log: nextLog.position });
      log++;
    }
  }
  if (log === logs.items.length) at = { ...at, log: logs.end };
  const hasMore = event < events.items.length || log < logs.items.length || events.hasMore || logs.hasMore;
  if (hasMore) return { items, end: formatRunStreamPosition(at), hasMore };
  const { progress } = news;
  // A state that has changed since comes with the next page.
  if (progress !== null && goal.progress !== from.progress && markOf(progress) === goal.progress)
    add({ type: 'progress', progress }, { progress: goal.progress });
  const isOver = goal.isOver && (news.lastLog === null || news.lastLog === at.log);
  const sequence = Math.max(at.sequence, goal.sequence);
  const end = formatRunStreamPosition({ ...at, sequence, progress: goal.progress, isOver });
  return { items, end, hasMore, isLast: isOver };
}
