import { accessSync, constants, statSync } from 'node:fs';
import { type WalkedPath, walkPath } from './walked-path.js';

/** The directory of a process, and the facts that determine the file of its program. */
export interface Surroundings {
  /** An absolute path. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The file that would be started: a name is looked for in PATH, a path is taken from the directory.
 *
 * @returns undefined if there is none
 */
export function walkToProgram(
  program: string,
  { cwd, env }: Surroundings,
  trusted: ReadonlySet<number>,
): WalkedPath | undefined {
  const path = program.includes('/')
    ? absolute(program, cwd)
    : (env.PATH ?? '')
        .split(':')
        .map((folder) => `${absolute(folder, cwd)}/${program}`)
        .find(isExecutable);
  return path === undefined ? undefined : walked(path, trusted);
}

/** @returns undefined if it is not there */
export function walked(path: string, trusted: ReadonlySet<number>): WalkedPath | undefined {
  try {
    return walkPath(path, trusted);
  } catch {
    return undefined;
  }
}

/** Not `path.resolve`, which takes `..` away before links are followed. */
export function absolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
