import type { Span } from '@agent-control-plane/client';
import { spanTree } from './span-tree.js';

const span = (id: string, parent: string | null = null, trace = 't') =>
  ({ trace_id: trace, span_id: id, parent_span_id: parent, name: id }) as Span;

const drawn = (...spans: readonly Span[]) => spanTree(spans).map(({ text }) => text);

describe('The tree of spans', () => {
  it('is empty without spans', () => expect(drawn()).toEqual([]));

  it('has each span below its parent, in the order in which they come', () => {
    const spans = [span('a'), span('b', 'a'), span('c', 'b'), span('d', 'b'), span('e', 'a'), span('f', 'e')];
    expect(drawn(...spans)).toEqual(['a', '├─ b', '│  ├─ c', '│  └─ d', '└─ e', '   └─ f']);
    expect(drawn(span('child', 'top'), span('top'))).toEqual(['top', '└─ child']);
  });

  it('has a span at the top whose parent is not there, or is in another trace', () => {
    expect(drawn(span('a', 'gone'), span('b', 'a'), span('c', 'a', 'other'))).toEqual(['a', '└─ b', 'c']);
  });

  it('has each span of a cycle once', () => {
    expect(drawn(span('a', 'c'), span('b', 'a'), span('c', 'b'))).toEqual(['a', '└─ b', '   └─ c']);
    expect(drawn(span('self', 'self'), span('below', 'self'))).toEqual(['self', '└─ below']);
    expect(drawn(span('top'), span('x', 'y'), span('y', 'x'))).toEqual(['top', 'x', '└─ y']);
  });

  it('may be ten thousand spans deep', () => {
    const spans = Array.from({ length: 10_000 }, (_, at) =>
      span(String(at), at === 0 ? null : String(at - 1)),
    );
    const lines = drawn(...spans);
    expect(lines).toHaveLength(10_000);
    expect(lines[9_999]!.length).toBeLessThan(100);
  });
});
