import type { CommandOption } from './command-declaration.js';
import { UsageError } from './failures.js';

export const labelOption: CommandOption = {
  flags: '--label <key=value>',
  description: 'a label to set; may be repeated',
  isRepeatable: true,
};

/** @param given labels as `key=value` @throws UsageError */
export function readLabels(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new UsageError('A label is written as key=value: --label team=billing');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** As {@link readLabels}; undefined if none is given. @throws UsageError */
export function optionalLabels(given: readonly string[] | undefined): Record<string, string> | undefined {
  return given && readLabels(given);
}

export const labelFilterOption: CommandOption = {
  ...labelOption,
  description: 'only agents with this label; may be repeated',
};

/**
 * @param given labels as `key=value` @returns labels as `key:value`, the form of the service's filters @throws
 * UsageError
 */
export function labelFilters(given: readonly string[]): string[] {
  return Object.entries(readLabels(given)).map((pair) => pair.join(':'));
}
