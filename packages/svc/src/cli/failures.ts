/** Exit codes of `svc`; scripts rely on these. */
export const EXIT = { done: 0, refused: 1, usage: 2, notLoggedIn: 3, unreachable: 4 } as const;

/** The command line makes no sense as it stands. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** There is no credential for this service, or it no longer holds. */
export class NotLoggedInError extends Error {
  override readonly name = 'NotLoggedInError';
}

/** The command has failed; the message says why, in one line. */
export class CommandFailedError extends Error {
  override readonly name: string = 'CommandFailedError';
}

/** Nothing has the name or the beginning of an id that was given. */
export class UnknownNameError extends CommandFailedError {
  override readonly name = 'UnknownNameError';
}
