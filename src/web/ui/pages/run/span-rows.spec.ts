import type { LogRecord, Span } from '@agent-control-plane/client';
import { arrangeSpans, isLine, type WaterfallRow } from './span-rows.js';

const NONE: ReadonlySet<string> = new Set();
const BEGIN = Date.parse('2026-01-31T09:30:00.000Z');

/** @param startMs after the beginning */
function span(id: string, parent: string | null, startMs = 0, durationMs = 10, traceId = 't'): Span {
  return {
    trace_id: traceId,
    span_id: id,
    parent_span_id: parent,
    started_at: new Date(BEGIN + startMs).toISOString(),
    duration_ms: durationMs,
  } as Span;
}

/** @param metadata of an exporter that names a span */
function line(message: string, atMs: number, metadata: object | null = null): LogRecord {
  return { id: message, message, timestamp: new Date(BEGIN + atMs).toISOString(), metadata } as LogRecord;
}

const nameOf = (row: WaterfallRow) => (isLine(row) ? row.line.message : row.span.span_id);
/** Rows as texts: `--b` stands at the third level. */
const drawn = (spans: readonly Span[], folded = NONE, lines: readonly LogRecord[] = []) =>
  arrangeSpans(spans, folded, lines).rows.map((row) => '-'.repeat(row.level - 1) + nameOf(row));

describe('The waterfall of spans', () => {
  it('is empty without spans', () => {
    expect(arrangeSpans([], NONE)).toEqual({ rows: [], lengthMs: 0 });
  });

  it('puts each span below its parent in the order of the starts, for spans in any order', () => {
    const spans = [span('c', 'a', 20), span('d', 'b', 15), span('b', 'a', 10), span('a', null)];
    const expected = ['a', '-b', '--d', '-c'];
    expect(drawn(spans)).toEqual(expected);
    expect(drawn(spans.toReversed())).toEqual(expected);
  });

  it('keeps the order of spans that start together', () => {
    expect(drawn([span('b', null), span('a', null), span('c', null)])).toEqual(['b', 'a', 'c']);
  });

  it('puts a span at the top whose parent is not there, or is in another trace', () => {
    const spans = [span('a', 'gone', 5), span('b', 'a', 6), span('c', 'a', 7, 10, 'other')];
    expect(drawn(spans)).toEqual(['a', '-b', 'c']);
  });

  it('shows each span of a cycle once, the earliest at the top', () => {
    expect(drawn([span('a', 'c', 1), span('b', 'a', 2), span('c', 'b', 3)])).toEqual(['a', '-b', '--c']);
    expect(drawn([span('self', 'self', 1), span('below', 'self', 2)])).toEqual(['self', '-below']);
    expect(drawn([span('top', null, 9), span('x', 'y'), span('y', 'x')])).toEqual(['top', 'x', '-y']);
  });

  it('says the place of each among its siblings, and on the axis of time', () => {
    const { rows, lengthMs } = arrangeSpans(
      [span('a', null, 0, 100), span('b', 'a', 25, 50), span('c', 'a', 50, 150)],
      NONE,
    );
    expect(lengthMs).toBe(200);
    expect(rows).toMatchObject([
      { level: 1, position: 1, setSize: 1, hasChildren: true, begin: 0, length: 0.5 },
      { level: 2, position: 1, setSize: 2, hasChildren: false, begin: 0.125, length: 0.25 },
      { level: 2, position: 2, setSize: 2, hasChildren: false, begin: 0.25, length: 0.75 },
    ]);
  });

  it('has no length if all is at one moment', () => {
    expect(arrangeSpans([span('a', null, 0, 0)], NONE).rows).toMatchObject([{ begin: 0, length: 0 }]);
  });

  it('hides the spans below a folded one, and keeps the others', () => {
    const spans = [span('a', null), span('b', 'a', 1), span('c', 'b', 2), span('d', null, 3)];
    expect(drawn(spans, new Set(['t-a']))).toEqual(['a', 'd']);
    expect(drawn(spans, new Set(['t-b', 't-d']))).toEqual(['a', '-b', 'd']);
    const { rows } = arrangeSpans(spans, new Set(['t-b', 't-d']));
    expect(rows.map(({ isFolded }) => isFolded)).toEqual([false, true, false]);
  });

  it('puts a line of the log below the span that it names, and else below the last open one', () => {
    const spans = [span('a', null, 0, 100), span('b', 'a', 10, 50), span('c', 'a', 70, 10)];
    const lines = [
      line('early', -5),
      line('planning', 5),
      line('calling', 20),
      line('between', 65),
      line('named', 75, { trace_id: 't', span_id: 'b' }),
      line('of another trace', 75, { trace_id: 'other', span_id: 'b' }),
      line('late', 150),
    ];
    expect(drawn(spans, NONE, lines)).toEqual([
      'early',
      'a',
      '-planning',
      '-b',
      '--calling',
      '--named',
      '-between',
      '-c',
      '--of another trace',
      'late',
    ]);
    const { rows, lengthMs } = arrangeSpans(spans, NONE, lines);
    expect(lengthMs).toBe(155);
    expect(rows.at(-1)).toMatchObject({ begin: 1, length: 0, hasChildren: false, position: 3, setSize: 3 });
    expect(drawn(spans, new Set(['t-a']), lines)).toEqual(['early', 'a', 'late']);
  });

  it('puts lines at the top where there are no spans', () => {
    expect(drawn([], NONE, [line('b', 2), line('a', 1)])).toEqual(['a', 'b']);
  });

  it('arranges 5,000 spans, wide or in one chain, each once', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => String(index));
    const wide = ids.map((id, index) => span(id, index === 0 ? null : String(index % 50), index));
    const chain = ids.map((id, index) => span(id, index === 0 ? null : String(index - 1), -index));
    for (const spans of [wide, chain]) {
      const { rows } = arrangeSpans(spans, NONE);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(5_000);
      expect(rows).toHaveLength(5_000);
    }
    expect(arrangeSpans(chain, NONE).rows.at(-1)).toMatchObject({ level: 5_000, key: 't-4999' });
  });
});
