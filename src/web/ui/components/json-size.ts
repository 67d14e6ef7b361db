/** Number of parts up to which a value is small enough to be shown whole. */
const SMALL = 60;

/** Returns true if a JSON value has few parts. It stops counting at the first one too many. */
export function isSmallJson(value: unknown): boolean {
  let counted = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    counted += 1;
    if (counted > SMALL) return false;
    if (typeof part === 'object' && part !== null) {
      const parts: unknown[] = Object.values(part);
      if (parts.length > SMALL) return false;
      waiting.push(...parts);
    }
  }
  return true;
}
