import type { LogRecord, Span } from '@agent-control-plane/client';
import { spanKey } from '../../api/spans.js';

/** The place of a row in the waterfall. */
interface Place {
  readonly key: string;
  /** Depth in the tree, from 1. */
  readonly level: number;
  /** Its place among the spans of the same parent, from 1, and their number. */
  readonly position: number;
  readonly setSize: number;
  readonly hasChildren: boolean;
  readonly isFolded: boolean;
  /** Begin and length of its bar, as parts of the time axis: 0 to 1. */
  readonly begin: number;
  readonly length: number;
}

export type SpanRow = Place & { readonly span: Span };
export type LineRow = Place & { readonly line: LogRecord };
/** A span, or a line of the log at its time. */
export type WaterfallRow = SpanRow | LineRow;

export const isLine = (row: WaterfallRow): row is LineRow => 'line' in row;

export interface Waterfall {
  readonly rows: readonly WaterfallRow[];
  /** Length of the time axis; milliseconds. */
  readonly lengthMs: number;
}

interface Node {
  readonly of: { readonly span: Span } | { readonly line: LogRecord };
  readonly key: string;
  /** Keys of the span that it belongs to, if it says so. */
  readonly parentKey: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly children: Node[];
}

/** A node whose row comes next. */
interface Turn extends Pick<Place, 'level' | 'position' | 'setSize'> {
  readonly node: Node;
  readonly isHidden: boolean;
}

/**
 * Arranges spans, in whatever order, into the rows of a tree: each below its parent, by their starts. A span whose parent is not
 * there stands at the top, and so does the earliest span of a cycle. A line of the log stands below the span that it names, or else
 * below the last one to start of those that were open at its time.
 *
 * @param folded keys of the spans whose descendants are left out
 */
export function arrangeSpans(
  spans: readonly Span[],
  folded: ReadonlySet<string>,
  lines: readonly LogRecord[] = [],
): Waterfall {
  const nodes = [...spans.map(nodeOfSpan), ...lines.map(nodeOfLine)].toSorted(
    (a, b) => a.startedAt - b.startedAt,
  );
  const from = nodes[0]?.startedAt ?? 0;
  const until = nodes.reduce((end, { endedAt }) => Math.max(end, endedAt), from);
  const rows: WaterfallRow[] = [];
  const placed = new Set<Node>();
  for (const set of topSets(nodes, placed)) {
    // a stack of its own, because a chain may be thousands of spans deep
    const turns = turnsOf(set, 1, false, placed);
    for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) {
      const { node, isHidden, ...place } = turn;
      const isFolded = folded.has(node.key);
      const below = turnsOf(node.children, place.level + 1, isHidden || isFolded, placed);
      if (!isHidden) {
        const { of, key, startedAt, endedAt } = node;
        const hasChildren = below.length > 0;
        const part = (milliseconds: number) => (until > from ? milliseconds / (until - from) : 0);
        const bar = { begin: part(startedAt - from), length: part(endedAt - startedAt) };
        rows.push({ ...of, key, ...place, ...bar, hasChildren, isFolded: isFolded && hasChildren });
      }
      turns.push(...below);
    }
  }
  return { rows, lengthMs: until - from };
}

function nodeOfSpan(span: Span): Node {
  const { trace_id: traceId, parent_span_id: parentId } = span;
  const startedAt = Date.parse(span.started_at);
  return {
    of: { span },
    key: spanKey(span),
    parentKey: parentId === null ? null : `${traceId}-${parentId}`,
    startedAt,
    endedAt: startedAt + span.duration_ms,
    children: [],
  };
}

function nodeOfLine(line: LogRecord): Node {
  const { trace_id: traceId, span_id: spanId } = line.metadata ?? {};
  const at = Date.parse(line.timestamp);
  const parentKey = typeof spanId === 'string' && typeof traceId === 'string' ? `${traceId}-${spanId}` : null;
  return { of: { line }, key: `line-${line.id}`, parentKey, startedAt: at, endedAt: at, children: [] };
}

/**
 * Rows without a parent; then, for rows that are only in cycles, one after the other.
 *
 * @param nodes in the order of their starts
 */
function* topSets(nodes: readonly Node[], placed: ReadonlySet<Node>): Generator<readonly Node[]> {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const tops: Node[] = [];
  let open: Node[] = [];
  for (const node of nodes) {
    const named = node.parentKey === null ? undefined : byKey.get(node.parentKey);
    if ('span' in node.of) {
      open.push(node);
      (named?.children ?? tops).push(node);
    } else {
      open = open.filter(({ endedAt }) => endedAt >= node.startedAt);
      ((named ?? open.at(-1))?.children ?? tops).push(node);
    }
  }
  yield tops;
  for (const node of nodes) if (!placed.has(node)) yield [node];
}

/** The next rows, the first one last: a stack. Those that stand somewhere already are left out. */
function turnsOf(nodes: readonly Node[], level: number, isHidden: boolean, placed: Set<Node>): Turn[] {
  const set = nodes.filter((node) => !placed.has(node));
  for (const node of set) placed.add(node);
  return set
    .map((node, index) => ({ node, level, position: index + 1, setSize: set.length, isHidden }))
    .toReversed();
}
