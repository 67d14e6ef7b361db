import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** Path of the code that the build keeps for a bundle: its functions as V8 compiled them in a start. */
export function keptCodeOf(bundle: string): string {
  return `${bundle}.code`;
}

/**
 * Compiles a bundle, with the kept code if there is some. V8 refuses code of another version of itself, and of a process
 * with flags like `--jitless` or `--stack-size`. Then `cachedDataRejected` is true, and the start takes 0.3 s longer.
 *
 * @param bundle path of a text in ASCII: a function with the parameters of a CommonJS module
 */
export function compileBundle(bundle: string): Script {
  const text = readFileSync(bundle, 'latin1');
  return new Script(text, { filename: bundle, cachedData: readIfThere(keptCodeOf(bundle)) });
}

/** @param bundle path that the program sees as its own */
export function runBundle(bundle: string, script: Script): void {
  const module = { exports: {} };
  const program = script.runInThisContext() as (...parameters: unknown[]) => void;
  program(module.exports, createRequire(bundle), module, bundle, dirname(bundle));
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
