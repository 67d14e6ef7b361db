import Anser from 'anser';

/** A part of a line with one appearance. */
export interface TextSegment {
  readonly text: string;
  /** Names of CSS classes: `ansi-red`, `ansi-bg-blue`, `bold`. */
  readonly classes: readonly string[];
  /** Colours beyond the sixteen that have a name: `rgb(1, 2, 3)`. */
  readonly color?: string;
  readonly background?: string;
  readonly isMatch?: boolean;
}

const ESCAPE = '\u001b';
/** Titles of windows, hyperlinks and the like, up to their end. */
const OTHER_SEQUENCES = new RegExp(`${ESCAPE}\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?`, 'g');
const FIRST_CUBE_COLOR = 16;
const FIRST_GRAY = 232;

/** The segments of a line with ANSI colours. All text stays text: nothing in it becomes markup. */
export function ansiSegments(line: string): TextSegment[] {
  if (!line.includes(ESCAPE)) return [{ text: line, classes: [] }];
  const parts = Anser.ansiToJson(line.replaceAll(OTHER_SEQUENCES, ''), {
    json: true,
    remove_empty: true,
    use_classes: true,
  });
  return parts.map(({ content, fg, bg, fg_truecolor, bg_truecolor, decorations }) => {
    const [shown, behind] = [colorOf(fg, fg_truecolor), colorOf(bg, bg_truecolor)];
    return {
      text: content.replaceAll(ESCAPE, ''),
      classes: [
        ...(shown.name === undefined ? [] : [shown.name]),
        ...(behind.name === undefined ? [] : [behind.name.replace('ansi-', 'ansi-bg-')]),
        ...decorations,
      ],
      ...(shown.rgb !== undefined && { color: shown.rgb }),
      ...(behind.rgb !== undefined && { background: behind.rgb }),
    };
  });
}

/**
 * Splits segments at the beginning and the end of each match of a searched text, in any case, also across segments.
 *
 * @param searched empty: nothing is split
 */
export function withMatches(segments: readonly TextSegment[], searched: string): TextSegment[] {
  const whole = segments.map(({ text }) => text).join('');
  const [lower, wanted] = [whole.toLowerCase(), searched.toLowerCase()];
  // some letters have another length in lower case
  if (wanted === '' || lower.length !== whole.length) return [...segments];
  const cuts: number[] = [];
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length))
    cuts.push(at, at + wanted.length);
  const result: TextSegment[] = [];
  let start = 0;
  for (const segment of segments) {
    const end = start + segment.text.length;
    const inside = [start, ...cuts.filter((cut) => cut > start && cut < end), end];
    for (const [index, from] of inside.slice(0, -1).entries()) {
      const until = inside[index + 1]!;
      const passed = cuts.filter((cut) => cut <= from).length;
      const text = segment.text.slice(from - start, until - start);
      if (text !== '') result.push({ ...segment, text, ...(passed % 2 === 1 && { isMatch: true }) });
    }
    start = end;
  }
  return result;
}

interface Color {
  readonly name?: string;
  readonly rgb?: string;
}

function colorOf(name: string | null, truecolor: string | null): Color {
  if (!name) return {};
  if (name === 'ansi-truecolor') return { rgb: `rgb(${truecolor ?? '0, 0, 0'})` };
  const [, palette] = /^ansi-palette-(\d+)$/.exec(name) ?? [];
  return palette === undefined ? { name } : { rgb: paletteColor(Number(palette)) };
}

/** A colour of the palette of 256: a cube of 6 x 6 x 6 and 24 shades of grey. */
function paletteColor(index: number): string {
  if (index >= FIRST_GRAY) {
    const shade = 8 + (index - FIRST_GRAY) * 10;
    return `rgb(${shade}, ${shade}, ${shade})`;
  }
  const place = index - FIRST_CUBE_COLOR;
  const channel = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  return `rgb(${[36, 6, 1].map((step) => channel(Math.floor(place / step) % 6)).join(', ')})`;
}
