import { CORE_SCHEMA, defineScalarTag, floatCoreTag, intCoreTag, load, NOT_RESOLVED } from 'js-yaml';
import { UsageError } from '../cli/failures.js';

/**
 * Begins the text of a number that would not be written so again. Text of the file that begins so can't be
 * distinguished.
 */
const MARK = '\0number ';
/** Variables of a process are text. */
const ENVIRONMENT = /^agents\[\d+\]\.config\.env$/;

/** A number that is not the text that was written (`01234`, `1.10`, `1e400`) is kept as that text, with the mark. */
const asWritten = (tag: typeof intCoreTag) =>
  defineScalarTag<number | string>(tag.tagName, {
    ...tag,
    resolve(source, ...rest) {
      const value = tag.resolve(source, ...rest);
      return value === NOT_RESOLVED || String(value) === source ? value : `${MARK}${source}`;
    },
  });
const SCHEMA = CORE_SCHEMA.withTags(asWritten(intCoreTag), asWritten(floatCoreTag));

/** Reads YAML, in which numbers that are not the text that was written have a mark. @throws YAMLException */
export function loadMarked(yaml: string): unknown {
  return load(yaml, { schema: SCHEMA });
}

/**
 * Loses nothing of the numbers that people wrote: among variables they are the text that was written, and elsewhere a number
 * that would become another text is refused. Aliases are written out.
 *
 * @throws UsageError that names the place
 */
export function numbersAsWritten(marked: unknown): unknown {
  return withoutMarks(marked, '', false);
}

function withoutMarks(value: unknown, place: string, isText: boolean): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? ofNumber(value, place, isText) : value;
  if (Array.isArray(value)) return value.map((it, index) => withoutMarks(it, `${place}[${index}]`, false));
  if (typeof value !== 'object' || value === null) return value;
  const isEnvironment = ENVIRONMENT.test(place);
  return Object.fromEntries(
    Object.entries(value).map(([marked, it]) => {
      const key = marked.startsWith(MARK) ? marked.slice(MARK.length) : marked;
      return [key, withoutMarks(it, place === '' ? key : `${place}.${key}`, isEnvironment)];
    }),
  );
}

function ofNumber(marked: string, place: string, isText: boolean): string {
  const text = marked.slice(MARK.length);
  if (isText) return text;
  throw new UsageError(
    `${place} is ${text}, which would be stored as another number: write "${text}" in quotes for a text`,
  );
}
