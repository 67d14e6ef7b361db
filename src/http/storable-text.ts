/**
 * Replaces NUL and half a surrogate pair, which PostgreSQL can't store, with U+FFFD, as decoders do with malformed
 * input. The checks cost less than making each text again, and nearly every text passes them.
 */
export function storable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/**
 * The beginning of a text, without half of a surrogate pair at its end: PostgreSQL refuses JSON with such a half.
 *
 * @param maximum in UTF-16 code units, as lengths are everywhere
 */
export function cutText(text: string, maximum: number): string {
  return text.slice(0, maximum).replace(/[\uD800-\uDBFF]$/, '');
}

/** The beginning of an escape, behind escaped backslashes or none. */
const ESCAPE = String.raw`(?<!\\)(?:\\\\)*\\u`;
const HIGH = String.raw`d[89ab][\da-f]{2}`;
const LOW = String.raw`d[c-f][\da-f]{2}`;
/** The escape of NUL, or of half a surrogate pair. */
const UNSTORABLE = new RegExp(
  String.raw`\\u(?<=${ESCAPE})(?:0000|${HIGH}(?!\\u${LOW})|(?<!${ESCAPE}${HIGH}\\u)${LOW})`,
  'gi',
);

/** As {@link storable}, for a JSON document from UTF-8: it can contain these characters only as escapes. */
export function storableJson(json: string): string {
  return json.replace(UNSTORABLE, '\\ufffd');
}
