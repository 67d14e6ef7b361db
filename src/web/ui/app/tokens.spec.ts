import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const UI = join(process.cwd(), 'src/web/ui');
const TOKENS = 'app/tokens.css';

const read = (file: string) => readFileSync(join(UI, file), 'utf8');
const sheets = globSync('**/*.css', { cwd: UI }).filter((file) => file !== TOKENS);
/** Without the modules that compute the colours which a program writes to its terminal. */
const sources = globSync('**/*.{ts,tsx}', { cwd: UI }).filter(
  (file) => !file.includes('.spec.') && file !== 'components/ansi-segments.ts',
);

const COLOR = /#(?:[0-9a-f]{3,4}){1,2}\b|\b(?:rgb|hsl|oklch|oklab|lab|lch)a?\(/i;
/** Heights that code counts in pixels, too: rows of the spans, and a chart with its border. */
const COUNTED = ['36px', '40px', '57px'];

/** Properties whose sizes are tokens, with the values that may accompany them. */
const RULES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:(?:row|column)-)?gap$|^padding|^margin/, /\drem\b/],
  [/^font-size$/, /\d(?:rem|px)\b/],
  [/^border(?:-[a-z]+)*-radius$/, /\drem\b|(?<![\d.])(?:[3-9]|\d\d+)(?:\.\d+)?px/],
  [/^(?:transition|animation)/, /(?<![\d.])[\d.]+m?s\b/],
];

/** Values of a sheet that should be tokens: `property: value`. */
function strays(css: string): string[] {
  const bare = css.replaceAll(/\/\*[^]*?\*\//g, '');
  const declarations = bare
    .split(/[{};]/)
    .filter((part) => /^\s*[a-z-]+:/.test(part))
    .map((part) => part.split(/:(.*)/s).map((half) => half.trim()) as [name: string, value: string]);
  return declarations
    .filter(([name, value]) => {
      const pixels = [...value.matchAll(/(?<![\d.])([\d.]+)px/g)].filter(([text]) => !COUNTED.includes(text));
      return (
        COLOR.test(value) ||
        pixels.some(([, size]) => Number(size) > 4) ||
        RULES.some(([names, refused]) => names.test(name) && refused.test(value))
      );
    })
    .map(([name, value]) => `${name}: ${value}`);
}

describe('The design tokens', () => {
  it('are the only colours, spaces, sizes of type, radii and times of motion in the style sheets', () => {
    expect(sheets.length).toBeGreaterThan(40);
    const found = sheets.flatMap((file) => strays(read(file)).map((stray) => `${file}: ${stray}`));
    expect(found).toEqual([]);
  });

  it.each([
    'color: #fff',
    'background: rgb(1 2 3)',
    'gap: 0.5rem var(--space-1)',
    'margin: 0 -1rem',
    'font-size: 14px',
    'border-radius: 6px',
    'transition: width 300ms ease',
    'width: 12px',
  ])('are asked for in place of `%s`', (declaration) => {
    expect(strays(`.a { ${declaration}; }`)).toEqual([declaration]);
  });

  it('are the only colours in the code', () => {
    const found = sources.filter((file) => /['"`](?:#[0-9a-f]{3,8}\b|(?:rgb|hsl)a?\()/i.test(read(file)));
    expect(found).toEqual([]);
  });

  it('are defined where they are used, and used where they are defined', () => {
    const defined = new Set([...read(TOKENS).matchAll(/^ {2}--([a-z0-9-]+):/gm)].map(([, name]) => name!));
    const all = [...sheets, TOKENS, ...sources].map(read).join('\n');
    const used = new Set([...all.matchAll(/var\(--([a-z0-9-]+)/g)].map(([, name]) => name!));
    const ofTokens = [...used].filter((name) => /^(?:text|space|radius|motion)-/.test(name));
    expect(ofTokens.filter((name) => !defined.has(name))).toEqual([]);
    // the shades are named by their numbers
    expect([...defined].filter((name) => !used.has(name) && !/^(?:azure|dark)-\d$/.test(name))).toEqual([]);
  });

  it('have the page’s colour as the browser’s, which reads it before the style sheets', () => {
    const named = [...read('index.html').matchAll(/name="theme-color" media="[^"]*" content="([^"]*)"/g)].map(
      ([, it]) => it,
    );
    expect(named).toEqual([...read(TOKENS).matchAll(/--page: (#[0-9a-f]+);/g)].map(([, it]) => it));
  });
});
