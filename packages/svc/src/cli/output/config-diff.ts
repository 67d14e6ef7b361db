import { indentedConfig, maskedConfigs } from '@agent-control-plane/client/internal/masked-config';
import type { Colors } from 'picocolors/types.js';
import { lineDiff } from './line-diff.js';

export interface ConfigVersions {
  readonly before: string;
  readonly after: string;
  /** True: both are as the service shows them, or the secrets were asked for; false: those of `after` are masked. */
  readonly isAsShown: boolean;
}

/** The lines that differ, with some around them, in the format of `diff -u`; empty if the configs are equivalent. */
export function configDiff({ before, after, isAsShown }: ConfigVersions, colors: Colors): string[] {
  const [one, other] = isAsShown ? [before, after] : maskedConfigs(before, after);
  return lineDiff(indentedConfig(one), indentedConfig(other), colors);
}
