import type { WaterfallRow } from './span-rows.js';

/** Rows that Page Up and Page Down pass. */
const PAGE = 10;

/** The effect of a key in the waterfall: it goes to another row, folds the row, or opens its details. */
export type SpanStep = { readonly to: number } | 'fold' | 'open';

/**
 * The meaning of a key, as in every tree: right unfolds a row or goes to its first child, left folds it or goes to
 * its parent.
 *
 * @returns undefined: the key means nothing here
 */
export function spanStep(key: string, rows: readonly WaterfallRow[], active: number): SpanStep | undefined {
  const row = rows[active];
  if (row === undefined) return undefined;
  const last = rows.length - 1;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(active + 1, last) };
    case 'ArrowUp':
      return { to: Math.max(active - 1, 0) };
    case 'PageDown':
      return { to: Math.min(active + PAGE, last) };
    case 'PageUp':
      return { to: Math.max(active - PAGE, 0) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: last };
    case 'ArrowRight':
      if (row.isFolded) return 'fold';
      return { to: row.hasChildren ? active + 1 : active };
    case 'ArrowLeft':
      if (row.hasChildren && !row.isFolded) return 'fold';
      return { to: parentOf(rows, active) };
    case 'Enter':
    case ' ':
      return 'open';
    default:
      return undefined;
  }
}

function parentOf(rows: readonly WaterfallRow[], active: number): number {
  const { level } = rows[active]!;
  const parent = rows.slice(0, active).findLastIndex((row) => row.level < level);
  return parent === -1 ? active : parent;
}
