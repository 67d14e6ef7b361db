import { useEffect, useRef, useState } from 'react';
import type { LogRecord } from '@agent-control-plane/client';
import { useLiveStream } from '../api/live.js';
import { requestPage, withQuery } from '../api/request.js';
import { LogBuffer } from './log-buffer.js';

/** Drawing thousands of lines is what makes a page slow; older ones are a search away. */
const MOST_LINES = 5_000;
const FIRST_LINES = 200;
const OLDER_LINES = 500;
/** Lines that arrive within this time are drawn together; milliseconds. */
const DRAW_MS = 100;

export interface LogHistory {
  readonly buffer: LogBuffer;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly isLive: boolean;
  /** How many lines have come since it was paused. */
  readonly heldBack: number;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly loadOlder: () => void;
}

export interface LogSource {
  /** Answers the list, with its filters. */
  readonly historyPath: string;
  /** Answers the stream, with the same filters. */
  readonly streamPath: string;
}

/**
 * The lines of a log: those that were there, those that come, and older ones on request. The list is read once the
 * stream stands, so that nothing falls in between, and again whenever the stream could not resume.
 *
 * @param isPaused lines that come are kept back meanwhile
 */
export function useLogHistory({ historyPath, streamPath }: LogSource, isPaused: boolean): LogHistory {
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
    // what comes meanwhile is newer than what is being read
    () => loads.current > 0,
    (rows) => setBuffer((now) => now.append(rows)),
  );

  const loadLatest = async () => {
    loads.current += 1;
    try {
      const page = await requestPage<LogRecord>(withLimit(historyPath, FIRST_LINES), abort());
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
  useLiveStream<LogRecord>(streamPath, {
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
    isLive,
    heldBack,
    hasOlder: hasOlder && !buffer.isFull,
    isLoadingOlder,
    loadOlder: () => void loadOlder(),
  };
}

const withLimit = (path: string, limit: number, until?: string): string => {
  const [pathname = path, search] = path.split('?');
  return withQuery(pathname, { ...Object.fromEntries(new URLSearchParams(search)), until, limit });
};

/** What is older than a line. A page may hold nothing but lines of its very millisecond, which are known. */
async function readOlder(
  path: string,
  oldest: LogRecord | undefined,
  options: { signal: AbortSignal },
): Promise<{ rows: LogRecord[]; hasMore: boolean }> {
  // `until` excludes itself
  const until = oldest && new Date(Date.parse(oldest.timestamp) + 1).toISOString();
  let next: string | null = withLimit(path, OLDER_LINES, until);
  let rows: readonly LogRecord[] = [];
  while (next !== null && !rows.some(({ timestamp }) => timestamp !== oldest?.timestamp)) {
    const page: Awaited<ReturnType<typeof requestPage<LogRecord>>> = await requestPage(next, options);
    rows = [...rows, ...page.rows];
    next = page.next;
  }
  return { rows: rows.toReversed(), hasMore: next !== null };
}

/** Collects lines that arrive, and passes them on together: soon, or once nothing holds them back any more. */
function useArrivals(
  isPaused: boolean,
  isHeld: () => boolean,
  pass: (rows: readonly LogRecord[]) => void,
): [heldBack: number, hold: (row: LogRecord) => void, release: () => void] {
  const waiting = useRef<LogRecord[]>([]);
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
  const hold = (row: LogRecord) => {
    waiting.current.push(row);
    // more than is ever shown is not worth keeping
    if (waiting.current.length > MOST_LINES) waiting.current.shift();
    timer.current ??= setTimeout(release, DRAW_MS);
  };
  return [heldBack, hold, release];
}

/** Options of requests that end when the component goes. */
function useAbortOnLeave(): () => { signal: AbortSignal } {
  const controller = useRef(new AbortController());
  useEffect(() => {
    // StrictMode leaves and comes back
    if (controller.current.signal.aborted) controller.current = new AbortController();
    return () => controller.current.abort();
  }, []);
  return () => ({ signal: controller.current.signal });
}
