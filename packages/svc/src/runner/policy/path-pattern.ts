/** Any names below a directory, at any depth; only as the last segment. */
const BELOW = '**';

/** Returns true if the text has a wildcard, so that it stands for several paths. */
export function isPattern(text: string): boolean {
  return text.includes('*');
}

/** The directory of a pattern that stands before its first wildcard, and the segments after it. Pure. */
export function splitPattern(pattern: string): { readonly directory: string; readonly rest: string[] } {
  const segments = pattern.split('/');
  const first = segments.findIndex(isPattern);
  const at = first < 0 ? segments.length - 1 : first;
  return { directory: segments.slice(0, at).join('/') || '/', rest: segments.slice(at) };
}

/** Why a pattern can't be used; undefined if it can. */
export function patternFault(pattern: string): string | undefined {
  if (!pattern.startsWith('/')) return 'must begin with /: nothing is looked for in PATH';
  const segments = pattern.split('/').slice(1);
  if (segments.some((it) => it === '' || it === '.' || it === '..'))
    return 'must be a path without //, . and .., and without / at its end';
  if (segments.slice(0, -1).some((it) => it.includes(BELOW)) || /.\*\*|\*\*./.test(segments.at(-1)!))
    return 'may have ** as its last segment only';
  return undefined;
}

/** @param rest of {@link splitPattern} @param path without the pattern's directory */
export function matchesPath(rest: readonly string[], path: readonly string[]): boolean {
  if (rest.at(-1) === BELOW) {
    const before = rest.length - 1;
    return path.length > before && matchesPath(rest.slice(0, -1), path.slice(0, before));
  }
  return rest.length === path.length && rest.every((it, index) => matchesName(it, path[index]!));
}

/** Compares a name with a text in which `*` stands for any characters, in time that is linear in each of both. */
export function matchesName(pattern: string, name: string): boolean {
  const [head, ...parts] = pattern.split('*') as [string, ...string[]];
  const tail = parts.pop();
  if (tail === undefined) return name === head;
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;
  let at = head.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - tail.length;
}
