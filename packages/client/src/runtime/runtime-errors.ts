import { inspect } from 'node:util';

/** The service refuses the agent's key permanently: it was revoked, has expired, or its agent was deleted. */
export class KeyRefusedError extends Error {
  override readonly name = 'KeyRefusedError';

  constructor(detail: string) {
    super(`The agent's key is refused for good: ${detail}`);
  }
}

/** The state directory belongs to another agent than the key. */
export class ForeignStateError extends Error {
  override readonly name = 'ForeignStateError';

  constructor(directory: string, owner: string, agentId: string) {
    super(`${directory} holds the state of agent ${owner}, but the key is that of agent ${agentId}`);
  }
}

/** The state directory is not usable. The message names it and says what to do. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
  /** The system's code: `EACCES`, `ENOSPC`, ... */
  readonly code: string;

  constructor(
    readonly directory: string,
    cause: unknown,
  ) {
    const code = (cause as NodeJS.ErrnoException).code ?? messageOf(cause);
    const remedy = isDiskFull(code)
      ? 'its disk is full, free some space'
      : 'give this user write access to it';
    super(`The state directory ${directory} can't be written (${code}): ${remedy}, or choose another one`, {
      cause,
    });
    this.code = code;
  }
}

/** A reply that is not from the service, for example the page of a proxy. */
export class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError';
}

/** Why a run is to end early: `cancelled`, `timed_out`, or its deployment or the runtime has `stopped`. */
export type Interruption = 'cancelled' | 'timed_out' | 'stopped';

const INTERRUPTIONS: Readonly<Record<Interruption, string>> = {
  cancelled: 'The run was cancelled',
  timed_out: 'The time of the run is over',
  stopped: 'The agent stopped before the run had ended',
};

/** The reason of a run's aborted signal. */
export class RunInterruptedError extends Error {
  override readonly name = 'RunInterruptedError';

  constructor(readonly interruption: Interruption) {
    super(INTERRUPTIONS[interruption]);
  }
}

/** Maximum length of a message in characters; the service keeps no more of one. */
const LONGEST_MESSAGE = 8_192;

/** @returns the message of an error; any other thrown value as text, objects as JSON */
export function messageOf(error: unknown): string {
  return textOf(error).slice(0, LONGEST_MESSAGE).toWellFormed();
}

function textOf(thrown: unknown): string {
  try {
    if (typeof thrown !== 'object' || thrown === null) return String(thrown);
    // errors of other libraries, and of another realm, are no instances of Error
    if ('message' in thrown && typeof thrown.message === 'string') return thrown.message;
    return JSON.stringify(thrown) ?? inspected(thrown);
  } catch {
    return inspected(thrown);
  }
}

/** @returns an empty text if the object's own code throws */
function inspected(thrown: unknown): string {
  try {
    return inspect(thrown);
  } catch {
    return '';
  }
}

/** True for the system's codes of a disk, or a share of it, without room. */
export function isDiskFull(code: string | undefined): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * The answer to a claim or a report of runs; a proxy may have answered in place of the service.
 *
 * @throws UnexpectedReplyError
 */
export function requireRuns<Answer extends { readonly runs?: unknown }>(answer: Answer): Answer {
  if (!Array.isArray(answer?.runs)) throw new UnexpectedReplyError('The reply contains no runs');
  return answer;
}
