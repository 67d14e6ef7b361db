import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type LiveSource, useLiveStream } from '../api/live.js';
import { type Page, requestPage } from '../api/request.js';
import { LogBuffer, type LogRow } from './log-buffer.js';

/** Maximum number of lines in the page, because rendering thousands is slow; older ones can be searched. */
const MOST_LINES = 5_000;
const FIRST_LINES = 200;
const OLDER_LINES = 500;
/** Time within which arriving lines are rendered together; milliseconds. */
const DRAW_MS = 100;

export interface LogHistory {
  readonly buffer: LogBuffer;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly isLive: boolean;
  /** True if no new lines are read: the range has an end, or nothing more is logged. */
  readonly isClosed: boolean;
  /** Interval in which the newest lines are read without a stream; milliseconds. */
  readonly pollMs: number | null;
  /** Number of lines that arrived since the pause. */
  readonly heldBack: number;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly loadOlder: () => void;
}

export interface LogSource {
  /** Path of the list, with its filters. */
  readonly historyPath: string;
  /** The stream with the same lines; null: there is none. */
  readonly stream: LiveSource<LogRow> | null;
  /** Interval in which the newest lines are read without a stream; milliseconds. Absent: they are read once. */
  readonly pollMs?: number;
  /** Time back to which lines are read; ISO 8601. Absent: one page. */
  readonly reachBack?: string;
}

/**
 * The lines of a log: existing ones, new ones, and older ones on request. The list is read when the stream is open, so
 * that no line in between is missed, and again when the stream could not resume.
 *
 * @param isPaused true: new lines are held back
 */
export function useLogHistory(source: LogSource, isPaused: boolean): LogHistory {
  const { historyPath, stream, pollMs, reachBack } = source;
  const [buffer, setBuffer] = useState(() => LogBuffer.empty(MOST_LINES));
  const [latest, setLatest] = useState<{ isPending: boolean; error: Error | null }>({
    isPending: true,
    error: null,
  });
  const [isLive, setLive] = useState(false);
  const [hasOlder, setHasOlder] = useState(false);
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const abort = useAbortOnLeave();
  const loads = useRef(0);
  const [heldBack, hold, release] = useArrivals(
    isPaused,
    // lines that arrive during a read are newer than its lines
    () => loads.current > 0,
    (rows) => setBuffer((now) => now.append(rows)),
  );

  const loadLatest = async () => {
    loads.current += 1;
    try {
      const page = await readLatest(historyPath, reachBack, abort());
      setBuffer((now) => now.catchUp(page.rows.toReversed(), page.next === null));
      setHasOlder((known) => known || page.next !== null);
      setLatest({ isPending: false, error: null });
    } catch (error) {
      if (!abort().signal.aborted) setLatest({ isPending: false, error: error as Error });
    } finally {
      loads.current -= 1;
      release();
    }
  };
  const loadOlder = async () => {
    setLoadingOlder(true);
    try {
      const { rows, hasMore } = await readOlder(historyPath, buffer.oldest, abort());
      setBuffer((now) => now.prepend(rows));
      setHasOlder(hasMore);
    } catch (error) {
      if (!abort().signal.aborted) setLatest({ isPending: false, error: error as Error });
    } finally {
      setLoadingOlder(false);
    }
  };
  useRead(stream === null, pollMs, loadLatest);
  useLiveStream<LogRow>(stream, {
    onData: hold,
    onOpen: (mayHaveMissed) => {
      setLive(true);
      if (mayHaveMissed) void loadLatest();
    },
    onLost: () => {
      setLive(false);
      if (buffer.size === 0) void loadLatest();
    },
    onEnd: () => setLive(false),
  });
  return {
    ...latest,
    buffer,
    isLive: isLive || pollMs !== undefined,
    isClosed: stream === null && pollMs === undefined,
    pollMs: pollMs ?? null,
    heldBack,
    hasOlder: hasOlder && !buffer.isFull,
    isLoadingOlder,
    loadOlder: () => void loadOlder(),
  };
}

/** Reads without a stream: once, or repeatedly while the tab is visible. */
function useRead(isWithoutStream: boolean, pollMs: number | undefined, read: () => Promise<void>): void {
  const onTurn = useEffectEvent(() => {
    if (document.visibilityState === 'visible') void read();
  });
  const first = useEffectEvent(() => void read());
  useEffect(() => {
    if (!isWithoutStream) return undefined;
    first();
    if (pollMs === undefined) return undefined;
    const timer = setInterval(onTurn, pollMs);
    return () => clearInterval(timer);
  }, [isWithoutStream, pollMs]);
}

/** @param until replaces the `until` of the path */
function withLimit(path: string, limit: number, until?: string): string {
  const [pathname = path, search] = path.split('?');
  const query = new URLSearchParams(search);
  query.set('limit', String(limit));
  if (until !== undefined) query.set('until', until);
  return `${pathname}?${query.toString()}`;
}

/** The newest lines, and earlier ones back to a time, as far as they fit. */
async function readLatest(
  path: string,
  reachBack: string | undefined,
  options: { signal: AbortSignal },
): Promise<Page<LogRow>> {
  let page = await requestPage<LogRow>(withLimit(path, FIRST_LINES), options);
  let { rows } = page;
  const isShort = () =>
    reachBack !== undefined && rows.at(-1)!.timestamp > reachBack && rows.length < MOST_LINES;
  while (page.next !== null && isShort()) {
    page = await requestPage<LogRow>(page.next, options);
    rows = [...rows, ...page.rows];
  }
  return { rows, next: page.next };
}

/** Reads lines older than a line. A page may contain only lines of the same millisecond, which are loaded already. */
async function readOlder(
  path: string,
  oldest: LogRow | undefined,
  options: { signal: AbortSignal },
): Promise<{ rows: LogRow[]; hasMore: boolean }> {
  // `until` is exclusive
  const until = oldest && new Date(Date.parse(oldest.timestamp) + 1).toISOString();
  let next: string | null = withLimit(path, OLDER_LINES, until);
  let rows: readonly LogRow[] = [];
  while (next !== null && !rows.some(({ timestamp }) => timestamp !== oldest?.timestamp)) {
    const page: Awaited<ReturnType<typeof requestPage<LogRow>>> = await requestPage(next, options);
    rows = [...rows, ...page.rows];
    next = page.next;
  }
  return { rows: rows.toReversed(), hasMore: next !== null };
}

/** Collects arriving lines and adds them together: after a short time, or when they are no longer held back. */
function useArrivals(
  isPaused: boolean,
  isHeld: () => boolean,
  pass: (rows: readonly LogRow[]) => void,
): [heldBack: number, hold: (row: LogRow) => void, release: () => void] {
  const waiting = useRef<LogRow[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [heldBack, setHeldBack] = useState(0);
  const paused = useRef(isPaused);
  const release = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (paused.current) return setHeldBack(waiting.current.length);
    setHeldBack(0);
    if (!isHeld() && waiting.current.length > 0) pass(waiting.current.splice(0));
  };
  useEffect(() => {
    paused.current = isPaused;
    release();
  }, [isPaused]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const hold = (row: LogRow) => {
    waiting.current.push(row);
    // more lines than the viewer holds are dropped
    if (waiting.current.length > MOST_LINES) waiting.current.shift();
    timer.current ??= setTimeout(release, DRAW_MS);
  };
  return [heldBack, hold, release];
}

/** Options of requests that are aborted when the component unmounts. */
function useAbortOnLeave(): () => { signal: AbortSignal } {
  const controller = useRef(new AbortController());
  useEffect(() => {
    // StrictMode unmounts and mounts again
    if (controller.current.signal.aborted) controller.current = new AbortController();
    return () => controller.current.abort();
  }, []);
  return () => ({ signal: controller.current.signal });
}
