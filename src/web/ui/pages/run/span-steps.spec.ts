import type { SpanRow } from './span-rows.js';
import { spanStep } from './span-steps.js';

/** a, a's b (folded, with something below), a's c, d. */
const ROWS: readonly Partial<SpanRow>[] = [
  { level: 1, hasChildren: true, isFolded: false },
  { level: 2, hasChildren: true, isFolded: true },
  { level: 2, hasChildren: false, isFolded: false },
  { level: 1, hasChildren: false, isFolded: false },
];

describe('A key in the waterfall', () => {
  it.each([
    ['ArrowDown', 0, { to: 1 }],
    ['ArrowDown', 3, { to: 3 }],
    ['ArrowUp', 0, { to: 0 }],
    ['ArrowUp', 3, { to: 2 }],
    ['PageDown', 0, { to: 3 }],
    ['PageUp', 3, { to: 0 }],
    ['Home', 2, { to: 0 }],
    ['End', 0, { to: 3 }],
    ['ArrowRight', 0, { to: 1 }],
    ['ArrowRight', 1, 'fold'],
    ['ArrowRight', 2, { to: 2 }],
    ['ArrowLeft', 0, 'fold'],
    ['ArrowLeft', 1, { to: 0 }],
    ['ArrowLeft', 2, { to: 0 }],
    ['ArrowLeft', 3, { to: 3 }],
    ['Enter', 2, 'open'],
    [' ', 2, 'open'],
    ['a', 2, undefined],
    ['Tab', 2, undefined],
  ])('%j at row %d', (key, active, expected) => {
    expect(spanStep(key, ROWS as readonly SpanRow[], active)).toEqual(expected);
  });

  it('means nothing without rows', () => {
    expect(spanStep('Enter', [], 0)).toBeUndefined();
  });
});
