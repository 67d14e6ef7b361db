/**
 * JSON in which each text is well-formed: half of a surrogate pair, as in a truncated text, becomes U+FFFD. No database
 * can store such a half, so one text would cause the refusal of the whole request.
 */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_, it: unknown) => (typeof it === 'string' ? it.toWellFormed() : it));
}
