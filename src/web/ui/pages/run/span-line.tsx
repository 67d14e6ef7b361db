import {
  type Icon,
  IconAlertTriangle,
  IconChevronRight,
  IconCircleDot,
  IconDatabaseSearch,
  IconMessageChatbot,
  IconNotes,
  IconRobot,
  IconTool,
  IconVector,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { LogRecord, Span } from '@agent-control-plane/client';
import { isLine, type SpanRow, type WaterfallRow } from './span-rows.js';
import { ansiSegments } from '../../components/ansi-segments.js';
import { numberText } from '../../components/amounts.js';
import { calledText, spanDuration, tokensOf } from './span-words.js';
import classes from './span-waterfall.module.css';

const SIGNS: Readonly<Record<Span['kind'], Icon>> = {
  agent: IconRobot,
  llm: IconMessageChatbot,
  tool: IconTool,
  retrieval: IconDatabaseSearch,
  embedding: IconVector,
  other: IconCircleDot,
};

export interface SpanLineProps {
  readonly id: string;
  readonly row: WaterfallRow;
  readonly index: number;
  /** Distance from the first row; pixels. */
  readonly top: number;
  /** Time after the first span; milliseconds. */
  readonly beginMs: number;
  readonly isActive: boolean;
  readonly onFold: (key: string) => void;
  readonly onOpen: (row: WaterfallRow) => void;
}

/** A span with its bar, or a line of the log with its moment. */
export function SpanLine({ id, row, index, top, beginMs, isActive, onFold, onOpen }: SpanLineProps) {
  const place = {
    '--depth': row.level - 1,
    '--begin': row.begin,
    '--length': row.length,
    transform: `translateY(${top}px)`,
  } as CSSProperties;
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
      aria-expanded={row.hasChildren ? !row.isFolded : undefined}
      className={classes.row}
      data-is-active={isActive}
      data-is-error={isLine(row) ? row.line.level === 'error' : row.span.status === 'error'}
      data-is-line={isLine(row)}
      style={place}
      onClick={() => onOpen(row)}
    >
      {isLine(row) ? <LineCells line={row.line} /> : <SpanCells row={row} onFold={onFold} />}
      <span role="gridcell" className={classes.track}>
        <span className="visually-hidden">{spanDuration(beginMs)}</span>
        <span className={classes.bar} data-kind={isLine(row) ? 'line' : row.span.kind} aria-hidden />
      </span>
    </div>
  );
}

function SpanCells({ row, onFold }: { readonly row: SpanRow; readonly onFold: (key: string) => void }) {
  const { span, key, hasChildren, isFolded } = row;
  const tokens = tokensOf(span);
  const Sign = SIGNS[span.kind];
  return (
    <>
      <span role="gridcell" className={classes.name} title={span.name}>
        {/* for the mouse; by keyboard it is left and right */}
        <span
          className={classes.fold}
          data-is-folded={isFolded}
          aria-hidden
          onClick={(event) => {
            if (!hasChildren) return;
            event.stopPropagation();
            onFold(key);
          }}
        >
          {hasChildren && <IconChevronRight size={14} />}
        </span>
        {span.status === 'error' ? (
          <IconAlertTriangle size={16} className={classes.sign} aria-label="Failed" role="img" />
        ) : (
          <Sign size={16} className={classes.sign} aria-hidden />
        )}
        <span className={classes.text}>{span.name}</span>
      </span>
      <span role="gridcell" className={classes.wide} title={calledText(span)}>
        <span className={classes.text}>{calledText(span)}</span>
      </span>
      <span role="gridcell" className={classes.wide} data-is-number>
        {tokens === null ? '' : numberText(tokens)}
      </span>
      <span role="gridcell" data-is-number>
        {spanDuration(span.duration_ms)}
      </span>
    </>
  );
}

function LineCells({ line: { level, message } }: { readonly line: LogRecord }) {
  const text = ansiSegments(message)
    .map((segment) => segment.text)
    .join('');
  return (
    <>
      <span role="gridcell" className={classes.name} title={text}>
        <span className={classes.fold} aria-hidden />
        <IconNotes size={16} className={classes.sign} aria-hidden />
        <span className={classes.text}>{text}</span>
      </span>
      <span role="gridcell" className={classes.wide}>
        <span className={classes.text}>Log · {level}</span>
      </span>
      <span role="gridcell" className={classes.wide} />
      <span role="gridcell" />
    </>
  );
}
