import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Closed to other users, because it contains configurations and keys. */
const MODE = 0o700;

/**
 * Creates a directory and its missing parents, all closed to other users. An existing one stays unchanged.
 *
 * `mkdirSync(..., { recursive: true })` of Node never returns if the file system answers ENOENT below an existing
 * directory, as `/proc` does: it tries the same directory again, at 100 % CPU.
 *
 * @throws the system's error
 */
export function makePrivateDirectory(directory: string): void {
  const path = resolve(directory);
  if (isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateDirectory(parent);
  try {
    mkdirSync(path, { mode: MODE });
  } catch (error) {
    // another process may have created it in the meantime
    if (!isDirectory(path)) throw error;
  }
}

/** Creates a directory, and closes an existing one to other users: it may have been created by hand. */
export function closePrivateDirectory(directory: string): void {
  makePrivateDirectory(directory);
  chmodSync(directory, MODE);
}

/**
 * Checks that a file can be created in a directory, by creating one and removing it. `access(2)` is no proof: it
 * succeeds for root on `/proc`.
 *
 * @throws the system's error
 */
export function assertWritable(directory: string): void {
  const probe = join(directory, `.write-test-${process.pid}`);
  closeSync(openSync(probe, 'w', 0o600));
  rmSync(probe);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
