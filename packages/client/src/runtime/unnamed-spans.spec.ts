import type { EndedSpan } from './otlp-span.js';
import { UnnamedSpans } from './unnamed-spans.js';

const span = (name: string) => ({ name }) as EndedSpan;

it('Spans wait for the name of their run, and the oldest run loses its own when there are too many', () => {
  let dropped = 0;
  const spans = new UnnamedSpans(3, (count) => (dropped += count));
  for (const name of ['a1', 'a2']) spans.add('a', span(name));
  spans.add('b', span('b1'));
  expect(spans.take('c')).toEqual([]);
  spans.add('c', span('c1'));
  expect(dropped).toBe(2);
  expect(spans.take('a')).toEqual([]);
  expect(spans.take('b')).toEqual([span('b1')]);
  expect(spans.take('b')).toEqual([]);
  for (const name of ['c2', 'c3']) spans.add('c', span(name));
  expect(spans.take('c').map(({ name }) => name)).toEqual(['c1', 'c2', 'c3']);
  expect(dropped).toBe(2);
});
