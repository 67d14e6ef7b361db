import {
  type Icon,
  IconAlertTriangle,
  IconChevronRight,
  IconCircleDot,
  IconDatabaseSearch,
  IconMessageChatbot,
  IconRobot,
  IconTool,
  IconVector,
} from '@tabler/icons-react';
import type { CSSProperties } from 'react';
import type { Span } from '@agent-control-plane/client';
import type { SpanRow } from './span-rows.js';
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
  readonly row: SpanRow;
  readonly index: number;
  /** Distance from the first row; pixels. */
  readonly top: number;
  /** Time after the first span; milliseconds. */
  readonly beginMs: number;
  readonly isActive: boolean;
  readonly onFold: (key: string) => void;
  readonly onOpen: (span: Span, key: string) => void;
}

/** A span, with its bar. */
export function SpanLine({ id, row, index, top, beginMs, isActive, onFold, onOpen }: SpanLineProps) {
  const { span, key, hasChildren, isFolded } = row;
  const tokens = tokensOf(span);
  const isError = span.status === 'error';
  const Sign = SIGNS[span.kind];
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
      aria-expanded={hasChildren ? !isFolded : undefined}
      className={classes.row}
      data-is-active={isActive}
      data-is-error={isError}
      style={place}
      onClick={() => onOpen(span, key)}
    >
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
        {isError ? (
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
      <span role="gridcell" className={classes.track}>
        <span className="visually-hidden">{spanDuration(beginMs)}</span>
        <span className={classes.bar} data-kind={span.kind} aria-hidden />
      </span>
    </div>
  );
}
