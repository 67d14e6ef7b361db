const QUOTES = ["'", '"', '`'];

/**
 * Returns true if the source declares a test, or a group of tests, with this title. A page may end a title with "…": its
 * beginning must then stand for one title of the file.
 */
export function declares(source: string, title: string): boolean {
  if (!title.endsWith('…')) return QUOTES.some((quote) => source.includes(`${quote}${title}${quote}`));
  const beginning = title.slice(0, -1);
  const found = QUOTES.map((quote) => source.split(`${quote}${beginning}`).length - 1);
  return found.reduce((sum, count) => sum + count) === 1;
}
