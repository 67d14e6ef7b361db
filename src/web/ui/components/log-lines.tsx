import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { type UIEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ErrorNotice } from './error-notice.js';
import type { LogBuffer, LogChunk } from './log-buffer.js';
import { LogChunkLines, type LineOptions } from './log-chunk.js';
import { LogHistogram } from './log-histogram.js';
import type { LogHistory } from './log-history.js';
import classes from './log-viewer.module.css';
import { Pending } from './pending.js';

/** Distance from the end within which the list follows new lines; pixels. */
const AT_END = 24;

export interface LogLinesProps {
  readonly history: LogHistory;
  readonly isPaused: boolean;
  readonly isFiltered: boolean;
  readonly isWrapped: boolean;
  readonly options: LineOptions;
  /** Time of the line to scroll to and to mark; ISO 8601. */
  readonly at: string | null;
}

/** Lines, newest last. The list stays at its end until the user scrolls away from it. */
export function LogLines({ history, isPaused, isFiltered, isWrapped, options, at }: LogLinesProps) {
  const { buffer } = history;
  const box = useRef<HTMLDivElement>(null);
  const lines = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(at === null);
  // a ref, so that it changes at once: a resize in the same frame must not scroll a user back
  const followsEnd = useRef(at === null);
  const follow = (isFollowing: boolean) => {
    followsEnd.current = isFollowing;
    setAtEnd(isFollowing);
  };
  const markedId = useMemo(() => (at === null ? null : firstAt(buffer, at)), [buffer, at]);
  useKeptPlace(box, buffer.chunks, isAtEnd);
  useJump(box, markedId);
  const isFailed = history.error !== null && buffer.size === 0;
  useKeptEnd(box, lines, followsEnd, isFailed);
  const onScroll = ({ currentTarget: it }: UIEvent<HTMLDivElement>) =>
    follow(it.scrollHeight - it.scrollTop - it.clientHeight < AT_END);
  const toEnd = () => {
    follow(true);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };
  if (history.error !== null && isFailed)
    return (
      <div className={classes.error}>
        <ErrorNotice error={history.error} />
      </div>
    );
  return (
    <>
      <LogHistogram buffer={buffer} />
      {/* focusable, so that it can be scrolled by keyboard */}
      <div
        ref={box}
        className={classes.box}
        data-is-wrapped={isWrapped}
        data-has-agents={options.agentNames !== null}
        onScroll={onScroll}
        tabIndex={0}
        role="region"
        aria-label="Log lines"
      >
        {history.hasOlder && (
          <Button
            size="compact-xs"
            variant="subtle"
            loading={history.isLoadingOlder}
            onClick={history.loadOlder}
          >
            Show older lines
          </Button>
        )}
        {buffer.isFull && (
          <p className={classes.note}>
            The last {buffer.size.toLocaleString('en')} lines; search or choose a level to see older ones.
          </p>
        )}
        {history.isPending && <Pending rows={6} height={18} />}
        {!history.isPending && buffer.size === 0 && (
          <p className={classes.note}>
            {isFiltered
              ? `No line matches.${history.isLive ? ' New lines that match appear here.' : ''}`
              : 'No log lines yet. They appear here as they arrive.'}
          </p>
        )}
        <div ref={lines}>
          {buffer.chunks.map((chunk) => (
            <LogChunkLines
              key={chunk.key}
              chunk={chunk}
              options={options}
              markedId={chunk.rows.some(({ id }) => id === markedId) ? markedId : null}
            />
          ))}
        </div>
      </div>
      <footer className={classes.foot}>
        <span className={classes.live} data-is-live={history.isLive && !isPaused}>
          {at === null ? liveText(history, isPaused) : 'Past lines'}
        </span>
        {!isAtEnd && (
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={toEnd}
          >
            Jump to the newest
          </Button>
        )}
      </footer>
    </>
  );
}

function liveText({ isLive, isClosed, pollMs, heldBack }: LogHistory, isPaused: boolean): string {
  if (isPaused) return heldBack === 0 ? 'Paused' : `Paused; ${heldBack.toLocaleString('en')} new`;
  if (isClosed) return 'Ended: no more lines';
  if (pollMs !== null) return `New lines every ${pollMs / 1000} s`;
  return isLive ? 'Live' : 'Connecting';
}

/** Keeps the scroll position: at the end, or on the same line when older lines are added above. */
function useKeptPlace(
  box: React.RefObject<HTMLDivElement | null>,
  chunks: readonly LogChunk[],
  isAtEnd: boolean,
): void {
  const before = useRef({ firstKey: 0, height: 0 });
  useLayoutEffect(() => {
    const it = box.current;
    if (it === null) return;
    const firstKey = chunks[0]?.key ?? 0;
    if (isAtEnd) it.scrollTop = it.scrollHeight;
    else if (firstKey < before.current.firstKey) it.scrollTop += it.scrollHeight - before.current.height;
    before.current = { firstKey, height: it.scrollHeight };
  }, [box, chunks, isAtEnd]);
}

/** Keeps the end visible when heights change: a chunk's height is known only once it was rendered. */
function useKeptEnd(
  box: React.RefObject<HTMLDivElement | null>,
  lines: React.RefObject<HTMLDivElement | null>,
  followsEnd: React.RefObject<boolean>,
  isFailed: boolean,
): void {
  useEffect(() => {
    const it = box.current;
    if (it === null || lines.current === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (followsEnd.current) it.scrollTop = it.scrollHeight;
    });
    observer.observe(it);
    observer.observe(lines.current);
    return () => observer.disconnect();
    // an error replaces the box, and the box comes back afterwards
  }, [box, lines, followsEnd, isFailed]);
}

/** Id of the first line at a time or later; null: there is none yet. */
function firstAt({ chunks }: LogBuffer, at: string): string | null {
  for (const { rows } of chunks) {
    const found = rows.find(({ timestamp }) => timestamp >= at);
    if (found) return found.id;
  }
  return chunks.at(-1)?.rows.at(-1)?.id ?? null;
}

/** Scrolls to the marked line when it is found. */
function useJump(box: React.RefObject<HTMLDivElement | null>, markedId: string | null): void {
  useLayoutEffect(() => {
    if (markedId === null) return;
    box.current?.querySelector('[data-is-marked="true"]')?.scrollIntoView({ block: 'center' });
  }, [box, markedId]);
}
