import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive } from './process-table.js';

const ATTEMPTS = 10;

/** Another runner works with this state directory. */
export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError';

  constructor(directory: string, pid: number) {
    super(`Process ${pid} runs this agent already, with the state in ${directory}: end it first`);
  }
}

interface Holder {
  readonly pid: number;
  readonly identity: string;
}

/**
 * Lets one process at a time use a directory. The lock of a process that is gone, however it went, is taken over: it
 * names its holder by number and start, so a stranger that has the same number now is not taken for it.
 */
export class StateLock {
  private constructor(
    private readonly file: string,
    private readonly content: string,
  ) {}

  /** @throws AlreadyRunningError */
  static acquire(directory: string): StateLock {
    const file = join(directory, 'lock');
    const content = JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) ?? '' });
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (createWhole(file, content)) return new StateLock(file, content);
      const found = readIfThere(file);
      if (found === undefined) continue;
      const holder = holderIn(found);
      if (holder && isAlive(holder.pid, holder.identity))
        throw new AlreadyRunningError(directory, holder.pid);
      moveAway(file, found);
    }
    throw new Error(`The lock ${file} can't be taken: remove it when nothing uses it`);
  }

  release(): void {
    if (readIfThere(this.file) === this.content) rmSync(this.file, { force: true });
  }
}

/** A link appears with its content or not at all. @returns whether it was made; false where there is one */
function createWhole(file: string, content: string): boolean {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, content, { mode: 0o600 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Of several that find a stale lock one gets to move it; who catches a new one by mistake puts it back. */
function moveAway(file: string, stale: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, file);
  } catch {
    // somebody else was faster
  }
  rmSync(aside, { force: true });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function holderIn(content: string): Holder | undefined {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return undefined;
  }
}
