import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const UI = join(process.cwd(), 'src/web/ui');
const MANTINE = join(process.cwd(), 'node_modules/@mantine/core');
const CORE = join(MANTINE, 'esm/components');
const CHARTS = join(MANTINE, '../charts/esm');
const FOUNDATION = ['baseline', 'default-css-variables', 'global'];

const read = (path: string) => readFileSync(path, 'utf8');
const namesIn = (list: string) => list.split(',').map((name) => name.trim().split(' as ')[0]!);

/** Names that the pages import from Mantine, without types. */
function importedNames(): string[] {
  return globSync('**/*.{ts,tsx}', { cwd: UI })
    .map((file) => read(join(UI, file)))
    .flatMap((source) => [...source.matchAll(/import \{([^}]*)\} from '@mantine\/(?:core|charts)'/g)])
    .flatMap(([, list]) => namesIn(list!))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

/** All modules of these components. */
function modulesOf(names: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const source = read(file);
    for (const [, path] of source.matchAll(/from "(\.[^"]+)"/g)) visit(resolve(dirname(file), path!));
    for (const [, list] of source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)) {
      namesIn(list!).forEach((name) => entriesOf([CORE], name).forEach(visit));
    }
  };
  names.flatMap((name) => entriesOf([CORE, CHARTS], name)).forEach(visit);
  // the components that show notifications
  globSync('esm/**/*.mjs', { cwd: join(MANTINE, '../notifications') }).forEach((file) =>
    visit(join(MANTINE, '../notifications', file)),
  );
  return seen;
}

const entriesOf = (packages: readonly string[], name: string) =>
  packages.map((path) => join(path, name, `${name}.mjs`));

/** The style sheets with the classes of these modules, in Mantine's own order. */
function neededStyles(): string[] {
  const classes = [...modulesOf([...importedNames(), 'MantineProvider'])]
    .filter((file) => file.endsWith('.module.mjs'))
    .flatMap((file) => [...read(file).matchAll(/m_[\da-f]+/g)].map(([name]) => name));
  const all = read(join(MANTINE, 'styles.css'));
  return readdirSync(join(MANTINE, 'styles'))
    .filter((file) => file.endsWith('.css') && !file.endsWith('.layer.css'))
    .map((file) => ({ name: file.slice(0, -4), source: read(join(MANTINE, 'styles', file)) }))
    .filter(({ source }) => classes.some((name) => source.includes(`.${name}`)))
    .map(({ name, source }) => ({ name, place: all.indexOf(/m_[\da-f]+/.exec(source)![0]) }))
    .sort((one, other) => one.place - other.place)
    .map(({ name }) => name);
}

describe('mantine-styles.ts', () => {
  it('imports exactly the style sheets of the components that the pages use', () => {
    const wanted = [...FOUNDATION, ...neededStyles()].map(
      (name) => `import '@mantine/core/styles/${name}.layer.css';`,
    );
    const lines = read(join(UI, 'app/mantine-styles.ts')).split('\n');
    expect(wanted.length).toBeGreaterThan(20);
    expect(lines.filter((line) => line.startsWith('import'))).toEqual(wanted);
  });
});
