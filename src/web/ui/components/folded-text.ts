/** Lines and characters of a text that are shown before a person asks for more. */
const LINES = 16;
const CHARACTERS = 1_200;
/** A text that is hardly longer is displayed whole: a button would need as much space. */
const TOLERANCE = 1.25;
/**
 * Characters of each text within a JSON value that are shown at first: a long one would else hide the next values.
 */
const OF_EACH_TEXT = 300;

/** Stands around the number of characters that are left out. JSON has no such character: it is escaped there. */
const LEFT_OUT = '\0';
/** A text in JSON, up to its end or that of the line. */
export const JSON_TEXT = /"(?:[^"\\\n]|\\.)*"?/g;

/** A part of a text, or the number of characters that are left out. */
export type FoldedPart = string | number;

/** The place where a text folds: the number of its characters that are shown at first. */
export function foldAt(text: string): number {
  const isLong = text.length > CHARACTERS * TOLERANCE || lineEnd(text, LINES * TOLERANCE) < text.length;
  return isLong ? cutAt(text, Math.min(lineEnd(text, LINES), CHARACTERS)) : text.length;
}

/** Indented JSON with the beginning of each long text: see {@link partsOf}. */
export function withShortTexts(json: string): string {
  return json.replaceAll(JSON_TEXT, (text) => {
    if (text.length <= OF_EACH_TEXT * TOLERANCE) return text;
    const end = cutAt(text, OF_EACH_TEXT);
    return `${text.slice(0, end)}${LEFT_OUT}${text.length - 1 - end}${LEFT_OUT}"`;
  });
}

/** The parts of a text of {@link withShortTexts}, and the numbers of characters that are left out between them. */
export const partsOf = (text: string): FoldedPart[] =>
  text.split(LEFT_OUT).map((part, index) => (index % 2 === 0 ? part : Number(part)));

/** Not within a pair of surrogates, whose halves are no characters. */
const cutAt = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end + 1 : end;

/** The end of a line, from the first one on; the length of the text if it has no more lines. */
function lineEnd(text: string, line: number): number {
  let end = -1;
  for (let passed = 0; passed < line; passed++) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) return text.length;
  }
  return end;
}
