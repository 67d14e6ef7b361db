/** NUL, or half of a surrogate pair. With the flag `v` a whole pair is one character, which does not match. */
const UNSTORABLE = /[\0\uD800-\uDFFF]/v;

/**
 * Replaces NUL and half a surrogate pair, which PostgreSQL can't store, with U+FFFD, as decoders do with malformed
 * input.
 */
export function storable(text: string): string {
  // The test costs less than making each text again, and nearly every text passes it.
  return UNSTORABLE.test(text) ? text.toWellFormed().replaceAll('\0', '\uFFFD') : text;
}

/**
 * The beginning of a text, without half of a surrogate pair at its end: PostgreSQL refuses JSON with such a half.
 *
 * @param maximum in UTF-16 code units, as lengths are everywhere
 */
export function cutText(text: string, maximum: number): string {
  return text.slice(0, maximum).replace(/[\uD800-\uDBFF]$/, '');
}
