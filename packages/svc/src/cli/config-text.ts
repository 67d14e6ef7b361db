import { readFile } from 'node:fs/promises';
import type { Context } from './context.js';
import { UsageError } from './failures.js';

/** Forms of a config on the command line: JSON, `@file`, or `@-` for standard input. */
export const CONFIG_SOURCES = 'JSON, @file for a file, @- for standard input';

/** The config's unchanged text; it is only checked to be JSON. @throws UsageError */
export async function configText(given: string, context: Context): Promise<string> {
  const text = await givenText(given, context);
  try {
    JSON.parse(text);
  } catch {
    throw new UsageError('The configuration must be JSON: check quotes and commas');
  }
  return text;
}

/** The text itself, that of `@file`, or of standard input for `@-`. @throws UsageError if the file can't be read */
export async function givenText(given: string, context: Context): Promise<string> {
  if (!given.startsWith('@')) return given;
  if (given === '@-') return context.terminal.readInput();
  return readText(given.slice(1));
}

/** @throws UsageError if the file can't be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${path} can't be read (${(error as NodeJS.ErrnoException).code}): check the path`);
  }
}
