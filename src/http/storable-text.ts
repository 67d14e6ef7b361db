/** Replaces what PostgreSQL can't store, NUL and half a surrogate pair, by U+FFFD, as decoders do with broken input. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
