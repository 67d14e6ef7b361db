import type { LastExit } from '@agent-control-plane/client/runtime';
import type { Exit } from './replica-process.js';

/** The last line that a process wrote to each stream. It usually says why the process has ended. */
export interface LastWords {
  stdout?: string;
  stderr?: string;
}

/** The end of a process, as it is reported. */
export function lastExitOf({ code, signal }: Exit, words: LastWords): LastExit {
  const message = reasonIn(words);
  return {
    ...(code !== null && { code }),
    ...(signal !== null && { signal }),
    ...(message !== undefined && { message }),
    at: new Date().toISOString(),
  };
}

/** Describes an end for people: `ended with exit code 3: no queue`. */
export function describeExit({ code, signal }: Exit, words: LastWords): string {
  const how =
    signal !== null ? `was ended by ${signal}` : code === null ? 'ended' : `ended with exit code ${code}`;
  const reason = reasonIn(words);
  return reason === undefined ? how : `${how}: ${reason}`;
}

/** The reason of an end is usually on standard error. */
function reasonIn({ stderr, stdout }: LastWords): string | undefined {
  return stderr ?? stdout;
}
