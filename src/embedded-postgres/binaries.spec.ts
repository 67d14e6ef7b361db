import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binariesFor, locateBinaries, restoreLibraryLinks } from './binaries.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'binaries-'));
});
afterEach(() => rmSync(base, { recursive: true }));

it('The PostgreSQL programs of this platform are found', () => {
  expect(locateBinaries()).toEqual({
    directory: expect.stringContaining('native') as string,
    version: expect.stringMatching(/^18\./) as string,
    major: '18',
  });
});

it('An unsupported platform is refused with instructions', () => {
  expect(() => locateBinaries('win32-x64')).toThrow(
    /^There is no embedded PostgreSQL for win32-x64: set DATABASE_URL to a PostgreSQL 18 of your own/,
  );
});

it('The library links that an install without scripts leaves out are created, and existing ones are kept', () => {
  mkdirSync(join(base, 'native/lib'), { recursive: true });
  writeFileSync(join(base, 'native/lib/libpq.so.5.18'), '');
  const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }));
  writeFileSync(join(base, 'native/pg-symlinks.json'), JSON.stringify(links));
  restoreLibraryLinks(base);
  restoreLibraryLinks(base);
  expect(readlinkSync(join(base, 'native/lib/libpq.so.5'))).toBe('libpq.so.5.18');
  expect(readdirSync(join(base, 'native/lib'))).toEqual(['libpq.so', 'libpq.so.5', 'libpq.so.5.18']);
});

describe('PostgreSQL programs in a directory that another user can not open', () => {
  const stranger = { uid: 4_242, gid: 4_242, switched: true };

  function layOut(mode: number) {
    const directory = join(base, 'package/native');
    for (const [path, bits] of Object.entries({
      'bin/postgres': 0o700,
      'lib/libpq.so': 0o600,
      'share/postgresql/postgres.bki': 0o600,
    })) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), path, { mode: bits });
    }
    chmodSync(base, mode);
    return { directory, version: '18.4.0', major: '18' };
  }

  it('are copied once, so that the other user can run them', async () => {
    const home = join(base, 'home');
    const binaries = layOut(0o700);
    const copy = await binariesFor(stranger, binaries, home);
    expect(copy).toEqual({ ...binaries, directory: join(home, 'postgresql-18.4.0') });
    expect(readFileSync(join(copy.directory, 'bin/postgres'), 'utf8')).toBe('bin/postgres');
    const modes = ['', 'bin/postgres', 'lib', 'lib/libpq.so'].map(
      (path) => statSync(join(copy.directory, path)).mode,
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o755, 0o755, 0o755, 0o644]);
    expect(await binariesFor(stranger, binaries, home)).toEqual(copy);
    expect(readdirSync(home)).toEqual(['postgresql-18.4.0']);
  });

  it('are not copied for the user of this process', async () => {
    const binaries = layOut(0o700);
    expect(await binariesFor({ ...stranger, switched: false }, binaries, join(base, 'home'))).toBe(binaries);
  });
});
