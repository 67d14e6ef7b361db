import { structuredPatch } from 'diff';
import type { Colors } from 'picocolors/types.js';
import { printable } from './printable.js';

/** Number of unchanged lines around a change. */
const CONTEXT_LINES = 3;

/** The lines that differ, with some around them, in the format of `diff -u`; empty if the texts are equal. */
export function lineDiff(before: string, after: string, colors: Colors): string[] {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES });
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    colors.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => painted(printable(line), colors)),
  ]);
}

function painted(line: string, colors: Colors): string {
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}
