/**
 * Hint for a person whose svc and service have different versions; undefined where they don't, or where a version is not of
 * three numbers. Pure.
 */
export function ageHint(own: string, ofService: string): string | undefined {
  const [mine, theirs] = [numbersOf(own), numbersOf(ofService)];
  if (!mine || !theirs) return undefined;
  const at = mine.findIndex((number, index) => number !== theirs[index]);
  if (at === -1) return undefined;
  if (mine[at]! > theirs[at]!)
    return `svc ${own} is newer than the service, ${ofService}: the service may refuse commands and options that it does not know`;
  return `svc ${own} is older than the service, ${ofService}: it may lack commands and fields; install that version`;
}

function numbersOf(version: string): number[] | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match ? match.slice(1).map(Number) : undefined;
}
