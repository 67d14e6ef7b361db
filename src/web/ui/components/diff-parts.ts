import { diffLines } from 'diff';

export interface DiffPart {
  readonly kind: 'added' | 'removed' | 'same' | 'gap';
  /** The part's lines; a gap has none. */
  readonly text: string;
  readonly lines: number;
}

/**
 * The lines of two texts, in order.
 *
 * @param context number of equal lines that are kept next to those that differ; the others become a gap. Absent: all are kept.
 */
export function diffParts(before: string, after: string, context = Number.POSITIVE_INFINITY): DiffPart[] {
  const changes = diffLines(before, after);
  return changes.flatMap(({ value, added, removed }, index): DiffPart[] => {
    if (added) return [part('added', linesOf(value))];
    if (removed) return [part('removed', linesOf(value))];
    const lines = linesOf(value);
    const first = index === 0 ? 0 : context;
    const last = index === changes.length - 1 ? 0 : context;
    // a gap of one line would take as much space as the line
    if (lines.length - first - last < 2) return [part('same', lines)];
    return [
      part('same', lines.slice(0, first)),
      { kind: 'gap' as const, text: '', lines: lines.length - first - last },
      part('same', lines.slice(lines.length - last)),
    ].filter((it) => it.lines > 0);
  });
}

function part(kind: DiffPart['kind'], lines: readonly string[]): DiffPart {
  return { kind, text: lines.join(''), lines: lines.length };
}

/** Lines with their line breaks. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}
