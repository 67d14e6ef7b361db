/** A part of a text: what people see as it is, or a name in place of characters that they would not see. */
export interface ShownPart {
  readonly text: string;
  readonly isMark: boolean;
}

/**
 * Characters that show nothing, are no text, or change how their neighbours are shown: controls and escapes, marks
 * and overrides of direction, zero-width characters, spaces that only look like one, and marks piled on a letter. A
 * line break stays unchanged.
 */
const HIDDEN = /(?!\n)(?:[\p{C}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M})/u;
const RUNS = new RegExp(`(${HIDDEN.source})\\1*`, 'gu');

/** A text of another person, as it is: each character that people would not see has its number in place. */
export function shownParts(text: string): ShownPart[] {
  if (!HIDDEN.test(text)) return text === '' ? [] : [{ text, isMark: false }];
  const parts: ShownPart[] = [];
  let end = 0;
  for (const { 0: run, 1: character, index } of text.matchAll(RUNS)) {
    if (index > end) parts.push({ text: text.slice(end, index), isMark: false });
    parts.push({ text: markOf(character!, run.length / character!.length), isMark: true });
    end = index + run.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMark: false });
  return parts;
}

/** The same in one text, for titles and labels: `a[U+202E]b`. */
export const shownText = (text: string): string =>
  shownParts(text)
    .map(({ text: shown, isMark }) => (isMark ? `[${shown}]` : shown))
    .join('');

/** The same JSON with such characters escaped: an editor would follow them. */
export const visibleJson = (json: string): string =>
  json.replaceAll(RUNS, (run) =>
    Array.from(
      { length: run.length },
      (_, at) => `\\u${run.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );

/** `U+202E`, or `U+200B ×312` for a run. */
function markOf(character: string, count: number): string {
  const number = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return count === 1 ? `U+${number}` : `U+${number} ×${count}`;
}
