/** The pattern that matches every kind. */
export const EVERYTHING = '*';

/** The patterns that match a kind of event. */
export function patternsFor(kind: string): string[] {
  return [kind, `${kind.slice(0, kind.indexOf('.'))}.*`, EVERYTHING];
}
