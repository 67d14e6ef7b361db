/** Replaces NUL and half a surrogate pair, which PostgreSQL can't store, with U+FFFD, as decoders do with broken input. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
