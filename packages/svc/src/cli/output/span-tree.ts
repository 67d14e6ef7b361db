import type { Span } from '@agent-control-plane/client';

/** A span as a line of a tree. */
export interface SpanLine {
  readonly span: Span;
  /** The span's name behind the branches that lead to it: `│  ├─ chat gpt-4o`. */
  readonly text: string;
}

/** Levels that are drawn; deeper spans stand at the last one, because a chain may be thousands of spans long. */
const DEEPEST = 20;
const TOP = '';

interface Turn {
  readonly span: Span;
  /** The beginning of its children's lines. */
  readonly stem: string;
  readonly text: string;
  readonly level: number;
}

/**
 * Arranges spans, which come in the order of their starts, into a tree. A span whose parent is not there stands at the top, and so
 * does the first span of a cycle.
 */
export function spanTree(spans: readonly Span[]): SpanLine[] {
  const children = childrenOf(spans);
  const lines: SpanLine[] = [];
  const placed = new Set<Span>();
  const draw = (tops: readonly Span[]) => {
    // a stack of its own, because functions can't call each other thousands of times
    const turns = tops.map(topOf).reverse();
    for (let turn = turns.pop(); turn !== undefined; turn = turns.pop()) {
      if (placed.has(turn.span)) continue;
      placed.add(turn.span);
      lines.push({ span: turn.span, text: turn.text });
      const below = children.get(keyOf(turn.span, turn.span.span_id)) ?? [];
      turns.push(
        ...turnsBelow(
          turn,
          below.filter((span) => !placed.has(span)),
        ),
      );
    }
  };
  draw(children.get(TOP) ?? []);
  for (const span of spans) if (!placed.has(span)) draw([span]);
  return lines;
}

/** Spans by the key of their parent; those without one are below {@link TOP}. */
function childrenOf(spans: readonly Span[]): ReadonlyMap<string, readonly Span[]> {
  const known = new Set(spans.map((span) => keyOf(span, span.span_id)));
  const children = new Map<string, Span[]>();
  for (const span of spans) {
    const parent = span.parent_span_id === null ? TOP : keyOf(span, span.parent_span_id);
    const place = known.has(parent) ? parent : TOP;
    const siblings = children.get(place);
    if (siblings) siblings.push(span);
    else children.set(place, [span]);
  }
  return children;
}

function topOf(span: Span): Turn {
  return { span, stem: '', text: span.name, level: 1 };
}

/** The last one first. */
function turnsBelow({ stem, level }: Turn, spans: readonly Span[]): Turn[] {
  const isDrawn = level < DEEPEST;
  return spans
    .map((span, index) => {
      const isLast = index === spans.length - 1;
      const text = `${stem}${isLast ? '└─ ' : '├─ '}${span.name}`;
      return { span, text, level: level + 1, stem: isDrawn ? `${stem}${isLast ? '   ' : '│  '}` : stem };
    })
    .reverse();
}

function keyOf({ trace_id: traceId }: Span, spanId: string): string {
  return `${traceId}-${spanId}`;
}
