import { glob, readFile } from 'node:fs/promises';
import { readTable } from '../../guide/tables.mjs';

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const { rows } = readTable(await readFile('docs/dependencies.tsv', 'utf8'));
const paths: string[] = [];
for await (const path of glob(['package.json', 'packages/*/package.json', 'test/*/package.json'])) {
  paths.push(path);
}
const manifests = await Promise.all(
  paths.map(async (path) => JSON.parse(await readFile(path, 'utf8')) as Manifest),
);

describe('docs/dependencies.tsv', () => {
  it('names each dependency of every package.json once, and nothing else', () => {
    const own = manifests.map((manifest) => manifest.name);
    const declared = manifests.flatMap((manifest) => [
      ...Object.keys(manifest.dependencies ?? {}),
      ...Object.keys(manifest.devDependencies ?? {}),
      ...Object.keys(manifest.optionalDependencies ?? {}),
      ...Object.keys(manifest.peerDependencies ?? {}),
    ]);
    const expected = [...new Set(declared)].filter((name) => !own.includes(name)).sort();
    const listed = rows.flatMap((row) => row['packages']!.split(', '));
    expect(listed.sort()).toEqual(expected);
  });

  it('describes the purpose of the package in each line', () => {
    for (const { purpose } of rows) expect(purpose).toMatch(/^\S.*\.$/);
  });
});
