import { parseLargeNumbersAsText } from '@agent-control-plane/client/internal/kept-numbers';
import { keptExit } from '../processes/kept-exit.js';
import type { Exit } from '../processes/replica-process.js';
import type { LastWords, RunDirectory } from './run-directory.js';

/** Maximum size of an output, as JSON; by the service's limit. */
export const MOST_OUTPUT_BYTES = 256 * 1024;
const LONGEST_WORDS = 500;

/** The reason why the runner has ended a run's process. */
export type EarlyEnd = 'cancelled' | 'timed_out' | 'stopped' | 'restarted' | 'runner_ended';

/** Facts about a run's process that has ended. */
export interface EndedProcess {
  readonly exit: Exit;
  /** The content of the file `RUN_OUTPUT`; null if there is none. Undefined: it is too large to be read. */
  readonly written: string | null | undefined;
  readonly words: LastWords;
  /** Absent: it has ended by itself. */
  readonly earlyEnd?: EarlyEnd | undefined;
  readonly timeoutSeconds?: number;
}

/** The report on a run that has ended. */
export interface RunResult {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly output?: unknown;
  readonly error?: string;
}

const ENDS = {
  stopped: 'Its deployment was stopped',
  restarted: 'Its deployment was started again',
  runner_ended: 'Its runner was stopped',
} as const;

/** The result of a run, from what its process left. Pure. */
export function resultOf(ended: EndedProcess): RunResult {
  const { exit, words, earlyEnd, timeoutSeconds } = ended;
  if (exit.code === 0) return succeeded(ended);
  const how = describe(exit, words);
  if (earlyEnd === 'cancelled') return { status: 'cancelled', error: `Cancelled: it ${how}` };
  if (earlyEnd === 'timed_out')
    return { status: 'failed', error: `It took longer than ${timeoutSeconds} seconds: it ${how}` };
  const why = earlyEnd && ENDS[earlyEnd];
  return { status: 'failed', error: why === undefined ? `It ${how}` : `${why}: it ${how}` };
}

/** The result of a run whose process has ended while no runner was there, as far as it is known. */
export function resultOfLost(directory: RunDirectory): RunResult {
  const exit = keptExit(directory) ?? { code: null, signal: null };
  return resultOf({ exit, written: directory.readOutput(), words: directory.words() });
}

/** Output as the service takes it: JSON, else the text. */
export function outputOf(text: string): unknown {
  try {
    return parseLargeNumbersAsText(text);
  } catch {
    return text.replace(/\r?\n$/, '');
  }
}

function succeeded({ written, words }: EndedProcess): RunResult {
  if (written === undefined) return tooLarge('more than a MiB');
  const output = written === null || written.trim() === '' ? jsonIn(words.line) : outputOf(written);
  if (output === undefined) return { status: 'succeeded' };
  const bytes = Buffer.byteLength(JSON.stringify(output));
  return bytes > MOST_OUTPUT_BYTES ? tooLarge(`${bytes} bytes`) : { status: 'succeeded', output };
}

function tooLarge(size: string): RunResult {
  const limit = `the service takes ${MOST_OUTPUT_BYTES}`;
  return {
    status: 'failed',
    error: `Its output has ${size}, ${limit}: store it elsewhere, and name it there`,
  };
}

/** A line that is JSON; undefined for any other. */
function jsonIn(line: string | undefined): unknown {
  if (line === undefined) return undefined;
  try {
    return parseLargeNumbersAsText(line);
  } catch {
    return undefined;
  }
}

function describe({ code, signal }: Exit, words: LastWords): string {
  const how =
    signal !== null
      ? `was ended by ${signal}`
      : code === null
        ? 'ended while no runner was there, and how is not known'
        : `ended with exit code ${code}`;
  // the reason of an end is usually on standard error
  const last = words.stderr ?? words.stdout;
  return last === undefined ? how : `${how}: ${last.slice(0, LONGEST_WORDS).toWellFormed()}`;
}
