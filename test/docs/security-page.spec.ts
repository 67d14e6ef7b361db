import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { ASVS_REQUIREMENTS } from './asvs-requirements.js';
import { declares } from './named-titles.js';

const answers = await readFile('docs/security-asvs.md', 'utf8');
const page = `${await readFile('docs/security.md', 'utf8')}\n${answers}`;
/** Files in backticks. A title in curly quotes after one is that of a test in it. */
const files = [
  ...new Set(
    [...page.matchAll(/`((?:test|src|scripts|packages)\/[\w./-]+\.\w+)`/g)].map(([, file]) => file!),
  ),
];
const proofs = [...page.matchAll(/`((?:test|src|packages)\/[\w./-]+)`: “([^”]+)”/g)].map(
  ([, file, title]) => ({
    file: file!,
    title: title!,
  }),
);

describe('docs/security.md with its answers to OWASP', () => {
  it.each(files)('names an existing file: %s', (file) => {
    expect([file, existsSync(file)]).toEqual([file, true]);
  });

  it.each(proofs)('names an existing test: $file, $title', async ({ file, title }) => {
    const source = await readFile(file, 'utf8');
    expect(declares(source, title)).toBe(true);
  });

  it('answers each requirement once, under a verdict and with a reason', () => {
    const verdicts = [...answers.matchAll(/^## (.*)$/gm)].map(([, verdict]) => verdict);
    expect(verdicts).toEqual(['Not met', 'Partly met', 'Documented', 'Met', 'Not applicable']);
    const rows = answers.split('\n').filter((line) => line.startsWith('- '));
    for (const row of rows) expect(row).toMatch(/^- \*\*[\d., to]+\*\*: \S.+$/);
    const points = rows.flatMap((row) => row.split('**')[1]!.split(',').flatMap(requirementsOf));
    expect(points.toSorted()).toEqual(ASVS_REQUIREMENTS.toSorted());
  });
});

/** @param points one requirement, or several of a section: `1.2.3`, `1.2.3 to 1.2.5` */
function requirementsOf(points: string): string[] {
  const [first, last = first] = points.trim().split(' to ') as [string, string?];
  const section = first.slice(0, first.lastIndexOf('.'));
  const numberOf = (point: string) => Number(point.slice(section.length + 1));
  return Array.from(
    { length: numberOf(last) - numberOf(first) + 1 },
    (_, index) => `${section}.${numberOf(first) + index}`,
  );
}

describe('package-lock.json', () => {
  it('has the integrity of every package, including the Node of npm start', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    );
    const unpinned = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    expect(unpinned.map(([path]) => path)).toEqual([]);
    const names = installed.map(([path]) => path);
    expect(names).toEqual(
      expect.arrayContaining(
        ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64'].map(
          (platform) => `node_modules/node-${platform}`,
        ),
      ),
    );
    expect(names).not.toContain('node_modules/node');
  });
});

it('No source of the service or a package names another hash than SHA-256', async () => {
  const found = new Set<string>();
  for await (const file of glob(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'])) {
    const source = await readFile(file, 'utf8');
    for (const [name] of source.matchAll(/\b(?:md[45]|sha-?\d+|ripemd160|blake2\w+)\b(?=['"])/gi))
      found.add(`${name.toLowerCase()}${file.endsWith('second-factor/totp.ts') ? ' of one-time codes' : ''}`);
  }
  expect([...found].sort()).toEqual(['sha1 of one-time codes', 'sha256']);
});
