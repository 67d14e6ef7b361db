import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @throws if the file system has no named pipes */
export async function makePipes(paths: readonly string[]): Promise<void> {
  removePipes(paths);
  await run('mkfifo', ['-m', '600', ...paths]);
}

export function removePipes(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}

/**
 * Opens the end of a pipe to which a child writes. It is open for reading as well, so that a child whose runner was
 * killed gets no SIGPIPE: if it writes more than the pipe can buffer, it waits for the next runner.
 */
export function openWriter(path: string): number {
  return openSync(path, constants.O_RDWR);
}

/** Returns true if any process has a pipe open, including one in another namespace. The kernel knows. */
export function isInUse(path: string): boolean {
  try {
    // without a reader, opening it for writing fails, and each of its writers can read it, too
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

/** Reads a named pipe continuously, so that a child never waits while its runner lives. */
export class OutputPipe {
  /** Resolves when all writers have ended, or when this end was closed. */
  readonly ended: Promise<void>;
  private readonly socket: Socket;

  constructor(path: string, onChunk: (chunk: Buffer) => void) {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      this.socket = new Socket({ fd, readable: true, writable: false });
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.ended = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.on('error', () => undefined);
    this.socket.on('data', onChunk);
  }

  close(): void {
    this.socket.destroy();
  }
}
