import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { atExit } from './at-exit.js';

/** Only its owner may read and write it. */
const PRIVATE = 0o600;

/**
 * Replaces a file as a whole, or not at all: after a crash it contains the old text or the new one. The new text is on
 * the disk when this resolves. The file keeps its owner, and a symbolic link stays one.
 *
 * The libraries for this (write-file-atomic, atomically) listen for signals while they write, and end the process if
 * the program's own listener was a `once` that has just been called: its last heartbeat was then lost.
 *
 * @throws the system's error; the file is then unchanged
 */
export async function replaceFile(file: string, text: string, mode = PRIVATE): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const fresh = `${target}.${randomUUID()}.new`;
  const finished = atExit(() => rmSync(fresh, { force: true }));
  try {
    await writeWhole(fresh, text, mode, await ownerOf(target));
    await rename(fresh, target);
    await syncDirectory(dirname(target));
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    finished();
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

async function writeWhole(file: string, text: string, mode: number, owner: Owner | undefined): Promise<void> {
  const handle = await open(file, 'wx', mode);
  try {
    await handle.writeFile(text);
    if (owner) await handle.chown(owner.uid, owner.gid);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @returns the owner for the new file; undefined if it is this user, or only root could change it */
async function ownerOf(file: string): Promise<Owner | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  return stat(file).catch(() => undefined);
}

/** Flushes the directory. Without it a power failure may bring the old file back. Not every file system supports it. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
