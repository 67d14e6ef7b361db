import type { Span } from '@agent-control-plane/client';
import { spanKey } from '../../api/spans.js';

/** A span as a row of the waterfall. */
export interface SpanRow {
  readonly span: Span;
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

export interface Waterfall {
  readonly rows: readonly SpanRow[];
  /** Length of the time axis; milliseconds. */
  readonly lengthMs: number;
}

interface Node {
  readonly span: Span;
  readonly key: string;
  readonly startedAt: number;
  readonly children: Node[];
}

/** A node whose row comes next. */
interface Turn extends Pick<SpanRow, 'level' | 'position' | 'setSize'> {
  readonly node: Node;
  readonly isHidden: boolean;
}

/**
 * Arranges spans, in whatever order, into the rows of a tree: each below its parent, by their starts. A span whose parent is not
 * there stands at the top, and so does the earliest span of a cycle.
 *
 * @param folded keys of the spans whose descendants are left out
 */
export function arrangeSpans(spans: readonly Span[], folded: ReadonlySet<string>): Waterfall {
  const nodes = spans.map(nodeOf).toSorted((a, b) => a.startedAt - b.startedAt);
  const from = nodes[0]?.startedAt ?? 0;
  const until = nodes.reduce((end, { startedAt, span }) => Math.max(end, startedAt + span.duration_ms), from);
  const rows: SpanRow[] = [];
  const placed = new Set<Node>();
  for (const set of topSets(nodes, placed)) {
    // a stack of its own, because a chain may be thousands of spans deep
    const turns = turnsOf(set, 1, false, placed);
    for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) {
      const { node, isHidden, ...place } = turn;
      const isFolded = folded.has(node.key);
      const below = turnsOf(node.children, place.level + 1, isHidden || isFolded, placed);
      if (!isHidden) {
        const { span, key, startedAt } = node;
        const hasChildren = below.length > 0;
        const part = (milliseconds: number) => (until > from ? milliseconds / (until - from) : 0);
        const bar = { begin: part(startedAt - from), length: part(span.duration_ms) };
        rows.push({ span, key, ...place, ...bar, hasChildren, isFolded: isFolded && hasChildren });
      }
      turns.push(...below);
    }
  }
  return { rows, lengthMs: until - from };
}

function nodeOf(span: Span): Node {
  return { span, key: spanKey(span), startedAt: Date.parse(span.started_at), children: [] };
}

/** The spans without a parent; then, of what only cycles hold, one after the other. */
function* topSets(nodes: readonly Node[], placed: ReadonlySet<Node>): Generator<readonly Node[]> {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const tops: Node[] = [];
  for (const node of nodes) {
    const { trace_id: traceId, parent_span_id: parentId } = node.span;
    const parent = parentId === null ? undefined : byKey.get(`${traceId}-${parentId}`);
    (parent?.children ?? tops).push(node);
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
