import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import type { LogRecord, Span } from '@agent-control-plane/client';
import { useHeightToEnd } from '../../components/use-height-to-end.js';
import { arrangeSpans, type WaterfallRow } from './span-rows.js';
import { SpanLine } from './span-line.js';
import { spanStep } from './span-steps.js';
import { numberText } from '../../components/amounts.js';
import { spanDuration } from './span-words.js';
import classes from './span-waterfall.module.css';

/** Heights of a row and of the head, as in the style sheet; pixels. */
const ROW_HEIGHT = 40;
const HEAD_HEIGHT = 36;
/** Rows drawn above and below the visible ones. */
const MARGIN = 12;

export interface SpanWaterfallProps {
  readonly spans: readonly Span[];
  /** True: later spans are not read yet. */
  readonly hasMore: boolean;
  /** Lines of the log, which stand at their times. */
  readonly lines: readonly LogRecord[];
  readonly onOpen: (row: WaterfallRow) => void;
}

/**
 * Spans as a tree on one axis of time, and lines of the log among them. Only the visible rows are drawn, and the active one, because the focus stays on the whole and
 * names it.
 */
export function SpanWaterfall({ spans, hasMore, lines, onOpen }: SpanWaterfallProps) {
  const id = useId();
  const frame = useHeightToEnd();
  const box = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set());
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const { rows, lengthMs } = useMemo(() => arrangeSpans(spans, folded, lines), [spans, folded, lines]);
  const active = Math.max(
    0,
    rows.findIndex(({ key }) => key === activeKey),
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]!.key,
    overscan: MARGIN,
    scrollMargin: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor: (range) => withActive(range, active),
  });
  const toggle = (key: string) => {
    setActiveKey(key);
    setFolded((now) => {
      const next = new Set(now);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  };
  const open = (row: WaterfallRow) => {
    setActiveKey(row.key);
    onOpen(row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    const step =
      event.ctrlKey || event.metaKey || event.altKey ? undefined : spanStep(event.key, rows, active);
    if (step === undefined || row === undefined) return;
    event.preventDefault();
    if (step === 'fold') toggle(row.key);
    else if (step === 'open') onOpen(row);
    else {
      setActiveKey(rows[step.to]!.key);
      virtualizer.scrollToIndex(step.to);
    }
  };
  const failed = spans.filter(({ status }) => status === 'error').length;
  return (
    <div ref={frame} className={classes.waterfall}>
      <div
        ref={box}
        className={classes.box}
        role="treegrid"
        aria-label="Spans"
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-activedescendant={`${id}-${active}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div role="row" aria-rowindex={1} className={classes.head}>
          <span role="columnheader">Span</span>
          <span role="columnheader" className={classes.wide}>
            Called
          </span>
          <span role="columnheader" className={classes.wide} data-is-number>
            Tokens
          </span>
          <span role="columnheader" data-is-number>
            Took
          </span>
          <span role="columnheader" className={classes.axis}>
            <span className="visually-hidden">Starts after</span>
            {[0, 0.5, 1].map((part) => (
              <span key={part} aria-hidden>
                {spanDuration(lengthMs * part)}
              </span>
            ))}
          </span>
        </div>
        <div role="rowgroup" className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <SpanLine
              key={rows[index]!.key}
              id={`${id}-${index}`}
              row={rows[index]!}
              index={index}
              top={start - HEAD_HEIGHT}
              beginMs={rows[index]!.begin * lengthMs}
              isActive={index === active}
              onFold={toggle}
              onOpen={open}
            />
          ))}
        </div>
      </div>
      <footer className={classes.foot}>
        <span>
          {hasMore && 'The first '}
          {numberText(spans.length)} {spans.length === 1 ? 'span' : 'spans'}
          {failed > 0 && `, ${numberText(failed)} failed`}
          {lines.length > 0 && `, ${numberText(lines.length)} log ${lines.length === 1 ? 'line' : 'lines'}`}
        </span>
      </footer>
    </div>
  );
}

/** The rows to be drawn. The active one stays, because the focus names it. */
function withActive(range: Range, active: number): number[] {
  const drawn = defaultRangeExtractor(range);
  if (active >= range.count || drawn.includes(active)) return drawn;
  return [...drawn, active].toSorted((a, b) => a - b);
}
