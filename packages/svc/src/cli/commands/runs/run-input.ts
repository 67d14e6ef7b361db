import type { components } from '@agent-control-plane/client';
import { givenText } from '../../config-text.js';
import type { Context } from '../../context.js';

type RunInput = components['schemas']['CreateRunRequest']['input'];

/** Forms of an input on the command line. */
export const INPUT_SOURCES = 'JSON or text, @file for a file, - for standard input';

/**
 * The input of a run: JSON becomes its value, anything else a text. A text from elsewhere loses its last line break,
 * which programs add.
 *
 * @throws UsageError if the file can't be read
 */
export async function runInput(given: string, context: Context): Promise<RunInput> {
  const text = await givenText(given === '-' ? '@-' : given, context);
  try {
    return JSON.parse(text) as RunInput;
  } catch {
    return text === given ? text : text.replace(/\r?\n$/, '');
  }
}
