import { closeSync, fstatSync, readFileSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { CommandFailedError, UsageError } from './failures.js';

/** A key has some 50 characters; a file that was handed over by mistake may be endless. */
const LONGEST_BYTES = 64 * 1024;

/** The number of a file descriptor that this process was handed. @throws UsageError */
export function descriptor(given: string): number {
  if (/^(0|[3-9]|[1-9]\d{1,5})$/.test(given)) return Number(given);
  throw new UsageError(
    '--agent-key-fd must be 0, or the number of a file descriptor from 3 on: svc writes to 1 and 2',
  );
}

/**
 * Reads a file descriptor to its end, and closes it, so that no process of the agent gets it.
 *
 * @throws CommandFailedError; the signal's reason
 */
export async function readDescriptor(fd: number, signal: AbortSignal): Promise<string> {
  const stats = statsOf(fd);
  if (!stats || !(stats.isFile() || stats.isFIFO() || stats.isSocket()))
    throw unreadable(fd, stats ? 'it is not a file, pipe or socket' : 'it is not open');
  try {
    if (stats.isFile()) return readAndClose(fd, stats);
    // not readFileSync, which would wait for the other end and take no signal meanwhile
    const socket = new Socket({ fd, readable: true, writable: false, signal });
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LONGEST_BYTES) socket.destroy(new Error('it contains more than a key'));
    });
    return await text(socket);
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(fd, code ?? message);
  }
}

function readAndClose(fd: number, { size }: Stats): string {
  try {
    if (size > LONGEST_BYTES) throw new Error('it contains more than a key');
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function statsOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd);
  } catch {
    return undefined;
  }
}

function unreadable(fd: number, why: string): CommandFailedError {
  return new CommandFailedError(
    `The agent's key can't be read from file descriptor ${fd} (${why}): hand it over as in "--agent-key-fd 3 3</run/secrets/agent-key"`,
  );
}
