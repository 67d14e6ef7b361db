/**
 * A name of at most so many characters, cut in its middle: names of a fleet often differ only at their end.
 *
 * @param most at least 3
 */
export function middleCut(name: string, most: number): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const atEnd = Math.floor((most - 1) / 2);
  return `${letters.slice(0, most - 1 - atEnd).join('')}…${letters.slice(-atEnd).join('')}`;
}
