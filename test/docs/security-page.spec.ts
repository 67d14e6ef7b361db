import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { readTable } from '../../guide/tables.mjs';
import { ASVS_REQUIREMENTS } from './asvs-requirements.js';
import { declares } from './named-titles.js';

const page = await readFile('docs/security.md', 'utf8');
const rowsOf = async (file: string) => readTable(await readFile(file, 'utf8')).rows;
const answers = await rowsOf('docs/security-asvs.tsv');
const inventory = await rowsOf('docs/security-cryptography.tsv');

interface Evidence {
  readonly file: string;
  /** Title of a test in the file. */
  readonly title?: string | undefined;
}

/** Files in backticks. A title in curly quotes after one is that of a test in it. */
const ofPage = [...page.matchAll(/`((?:test|src|scripts|packages)\/[\w./-]+\.\w+)`(?:: “([^”]+)”)?/g)].map(
  ([, file, title]): Evidence => ({ file: file!, title }),
);

/** Files in the column `evidence`, parted by semicolons, each with the title of a test in it or without one. */
const ofAnswers = answers
  .flatMap(({ evidence }) => (evidence === '' ? [] : evidence!.split('; ')))
  .map((one): Evidence => {
    const [, file, title] = /^([\w./-]+)(?:: “([^”]+)”)?$/.exec(one) ?? [one, one];
    return { file: file, title };
  });
const ofInventory = inventory.map(({ file }): Evidence => ({ file: file! }));
const named = [
  ...new Map([...ofPage, ...ofAnswers, ...ofInventory].map((it) => [`${it.file}: ${it.title}`, it])).values(),
];
const files = [...new Set(named.map(({ file }) => file))];
const proofs = named.filter(({ title }) => title !== undefined);

describe('docs/security.md with its answers to OWASP', () => {
  it.each(files)('names an existing file: %s', (file) => {
    expect([file, existsSync(file)]).toEqual([file, true]);
  });

  it.each(proofs)('names an existing test: $file, $title', async ({ file, title }) => {
    const source = await readFile(file, 'utf8');
    expect(declares(source, title!)).toBe(true);
  });

  it('answers each requirement once, under a verdict and with a reason', () => {
    const verdicts = [...new Set(answers.map(({ verdict }) => verdict))];
    expect(verdicts).toEqual(['Not met', 'Partly met', 'Documented', 'Met', 'Not applicable']);
    for (const { requirement, answer, evidence, pages } of answers)
      expect([requirement, `${answer}${evidence}${pages}`]).toEqual([
        requirement,
        expect.stringMatching(/\w/),
      ]);
    const requirements = answers.map(({ requirement }) => requirement!);
    expect(requirements.toSorted()).toEqual(ASVS_REQUIREMENTS.toSorted());
  });
});

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
