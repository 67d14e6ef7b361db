/** Characters that a terminal obeys and JSON leaves as they are: delete, the C1 controls, and those that turn the direction of text. */
const TREACHEROUS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
/** Escapes of JSON; those of control characters, but line feed and tab, are groups. */
const ESCAPES = /\\(?:(u00[01][\da-f]|[bfr])|.)/g;

/** The same JSON without raw control characters; a log holds text of strangers and is read in terminals. */
export function printableJson(line: string): string {
  return line.replaceAll(TREACHEROUS, escaped);
}

/** The same for `pino-pretty`, which reads the JSON again: it shows the escape. */
export function printableText(line: string): string {
  return line
    .replaceAll(ESCAPES, (escape, control?: string) => (control === undefined ? escape : `\\${escape}`))
    .replaceAll(TREACHEROUS, (character) => `\\${escaped(character)}`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
