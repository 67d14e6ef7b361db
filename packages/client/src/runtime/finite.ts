/** A JSON value without its numbers that JSON does not have: NaN and the infinities. */
export interface Finite {
  readonly value: unknown;
  /** Path of each number that was left out: `custom.ratio`. */
  readonly left: readonly string[];
}

/** Properties are left out; in a list, where the place of the others counts, null stands for the number. */
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
  // JSON is made of what a date returns, not of its properties
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const entries = Object.entries(value).map(([key, it]) => [
    key,
    copied(it, path === '' ? key : `${path}.${key}`, left),
  ]);
  return Object.fromEntries(entries);
}
