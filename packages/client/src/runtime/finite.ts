/** A JSON value without numbers that JSON can't express: NaN and the infinities. */
export interface Finite {
  readonly value: unknown;
  /** Path of each omitted number: `custom.ratio`. */
  readonly left: readonly string[];
}

/**
 * Removes such numbers: properties are omitted; in a list, null replaces the number, so that the other items keep their
 * positions.
 */
export function finiteOf(value: unknown): Finite {
  const left: string[] = [];
  return { value: copied(value, '', left), left };
}

function copied(value: unknown, path: string, left: string[]): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    left.push(path);
    return undefined;
  }
  if (Array.isArray(value)) return value.map((it, index) => copied(it, `${path}[${index}]`, left) ?? null);
  // a date is serialised by its method, not by its properties
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const entries = Object.entries(value).map(([key, it]) => [
    key,
    copied(it, path === '' ? key : `${path}.${key}`, left),
  ]);
  return Object.fromEntries(entries);
}
