/**
 * JSON in which each text is well-formed: half of a surrogate pair, as a text that was cut has it, becomes U+FFFD. No
 * database keeps such a half, so one text would have the whole request refused.
 */
export function wellFormedJson(value: unknown): string {
  return JSON.stringify(value, (_, it: unknown) => (typeof it === 'string' ? it.toWellFormed() : it));
}
