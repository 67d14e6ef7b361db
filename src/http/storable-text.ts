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
