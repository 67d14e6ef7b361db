import { indentedConfig, maskedConfigs } from '@agent-control-plane/client/internal/masked-config';
import { structuredPatch } from 'diff';
import type { Colors } from 'picocolors/types.js';
import { printable } from './printable.js';

/** Number of unchanged lines around a change. */
const CONTEXT_LINES = 3;

export interface ConfigVersions {
  readonly before: string;
  readonly after: string;
  /** True: both are as the service shows them, or the secrets were asked for; false: those of `after` are masked. */
  readonly isAsShown: boolean;
}

/** The lines that differ, with some around them, in the format of `diff -u`; empty if the configs are equivalent. */
export function configDiff({ before, after, isAsShown }: ConfigVersions, colors: Colors): string[] {
  const [one, other] = isAsShown ? [before, after] : maskedConfigs(before, after);
  const options = { context: CONTEXT_LINES };
  const patch = structuredPatch('', '', indentedConfig(one), indentedConfig(other), '', '', options);
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    colors.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => painted(printable(line), colors)),
  ]);
}

function painted(line: string, colors: Colors): string {
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}
