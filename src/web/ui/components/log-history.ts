import { useEffect, useRef, useState } from 'react';
import type { LogRecord } from '@agent-control-plane/client';
import { useLiveStream } from '../api/live.js';
import { requestPage, withQuery } from '../api/request.js';
import { LogBuffer } from './log-buffer.js';

/** Most lines in the page, because rendering thousands is slow; older ones can be searched. */
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
  /** Number of lines that arrived since the pause. */
  readonly heldBack: number;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly loadOlder: () => void;
}

export interface LogSource {
  /** Path of the list, with its filters. */
  readonly historyPath: string;
  /** Path of the stream, with the same filters. */
  readonly streamPath: string;
}

/**
 * The lines of a log: existing ones, new ones, and older ones on request. The list is read when the stream is open, so that
 * no line in between is missed, and again when the stream could not resume.
 *
 * @param isPaused new lines are held back meanwhile
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
    // lines that arrive during a read are newer than its lines
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

/** Reads lines older than a line. A page may contain only lines of the same millisecond, which are loaded already. */
async function readOlder(
  path: string,
  oldest: LogRecord | undefined,
  options: { signal: AbortSignal },
): Promise<{ rows: LogRecord[]; hasMore: boolean }> {
  // `until` is exclusive
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

/** Collects arriving lines and adds them together: after a short time, or when they are no longer held back. */
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
