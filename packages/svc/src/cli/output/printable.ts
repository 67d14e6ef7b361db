/**
 * Characters that move the cursor, set the window's title or turn the reading direction: the C0 and C1 control characters
 * but tab and line feed, and Unicode's bidirectional controls.
 */
const TREACHEROUS = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Returns true for a text that could move the cursor, set the window's title or turn the reading direction. */
export function isTreacherous(text: string): boolean {
  return text.search(TREACHEROUS) !== -1;
}

/** Makes a text from elsewhere harmless to a terminal: control characters become `\u001b`. */
export function printable(text: string): string {
  return text.replace(TREACHEROUS, escaped);
}

/** Makes a text harmless and puts it on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n').replaceAll('\t', ' ');
}

/** JSON that is harmless to a terminal: the same value, with control characters escaped. */
export function printableJson(value: unknown, indentation?: number): string {
  // line feeds and tabs inside of strings are escaped already; those outside are the indentation
  return JSON.stringify(value, null, indentation).replace(TREACHEROUS, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
