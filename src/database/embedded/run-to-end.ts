import { spawn, type SpawnOptions } from 'node:child_process';
import { basename } from 'node:path';
import { EmbeddedPostgresError, reasonOf, USE_ANOTHER_DATABASE } from './embedded-postgres-error.js';
import type { OsUser } from './os-user.js';

const KEPT_LINES = 20;

/** The last lines of a program's output, for an error message. */
export class OutputTail {
  private readonly lines: string[] = [];

  push(line: string): void {
    this.lines.push(line);
    if (this.lines.length > KEPT_LINES) this.lines.shift();
  }

  toString(): string {
    return this.lines.join('\n');
  }
}

/** How each of PostgreSQL's programs is started: as its user, with nothing of this process's own surroundings. */
export function spawnOptionsFor(user: OsUser): SpawnOptions {
  return {
    // the working directory may be closed to the user
    cwd: '/',
    // none of PGPORT, PGOPTIONS, PGDATA and their like; English messages, of which some are recognised
    env: { LC_ALL: 'C' },
    ...(user.switched ? { uid: user.uid, gid: user.gid } : {}),
  };
}

/** @returns the error for a program that the operating system would not start */
export function cannotRun(file: string, error: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL's ${basename(file)} can't run here (${reasonOf(error)}): ${file} needs glibc on Linux; ` +
      `elsewhere ${USE_ANOTHER_DATABASE}`,
  );
}

/**
 * Runs a program as `user` and waits for its end.
 *
 * @throws EmbeddedPostgresError when it can't be started at all
 */
export function runToEnd(
  file: string,
  user: OsUser,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...spawnOptionsFor(user), stdio: ['ignore', 'pipe', 'pipe'] });
    const tail = new OutputTail();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        for (const line of text.split('\n')) if (line.trim() !== '') tail.push(line.trimEnd());
      });
    }
    child.on('error', (error) => reject(cannotRun(file, error)));
    child.on('close', (code) => resolve({ code, output: tail.toString() }));
  });
}
