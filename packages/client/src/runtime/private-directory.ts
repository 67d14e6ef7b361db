import { chmodSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Closed to other users: configurations and keys are kept in it. */
const MODE = 0o700;

/**
 * Makes a directory and those above it that are missing, all closed to other users. One that is there stays as it is.
 *
 * `mkdirSync(..., { recursive: true })` of Node never returns where the file system answers ENOENT below a directory
 * that exists, as `/proc` does: it tries the same directory again, at 100 % CPU.
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
    // another process may have made it in the meantime
    if (!isDirectory(path)) throw error;
  }
}

/** The same, and one that was there is closed to other users: it may have been made by hand. */
export function closePrivateDirectory(directory: string): void {
  makePrivateDirectory(directory);
  chmodSync(directory, MODE);
}

/**
 * Proves that a file can be made in a directory, by making one and removing it. `access(2)` is no proof: root passes it
 * on `/proc`.
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
