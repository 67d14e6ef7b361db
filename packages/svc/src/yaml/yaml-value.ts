import { UsageError } from '../cli/failures.js';
import { loadMarked, numbersAsWritten } from './written-numbers.js';

/** Maximum number of keys and elements of a document: that of a body of the service. */
const MAXIMUM_VALUES = 200_000;

/** The value of a YAML file that a person wrote, within bounds. @throws UsageError */
export function readYaml(yaml: string): unknown {
  let value: unknown;
  try {
    value = loadMarked(yaml);
  } catch (error) {
    throw new UsageError(`The file must be YAML: ${(error as Error).message.split('\n')[0]}`);
  }
  assertWritable(value);
  return numbersAsWritten(value);
}

/**
 * Refuses a file whose aliases write out to more than can be sent: nine lines of YAML stand for a billion values, or, where an
 * alias is in what it names, for endlessly many.
 *
 * @throws UsageError
 */
function assertWritable(root: unknown): void {
  const left: unknown[] = [root];
  for (let count = 0; left.length > 0; count++) {
    if (count > MAXIMUM_VALUES)
      throw new UsageError(
        `The file has more than ${MAXIMUM_VALUES} values when its aliases are written out`,
      );
    const value = left.pop();
    // not spread into push: a list may be longer than arguments can be
    if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) left.push(it);
  }
}
