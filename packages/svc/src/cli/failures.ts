/** Exit codes of `svc`; scripts rely on these. */
export const EXIT = {
  done: 0,
  refused: 1,
  usage: 2,
  notLoggedIn: 3,
  unreachable: 4,
  unsuccessfulRun: 5,
} as const;

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** There is no credential for this service, or it is no longer valid. */
export class NotLoggedInError extends Error {
  override readonly name = 'NotLoggedInError';
}

/** The command has failed; the message says why, in one line. */
export class CommandFailedError extends Error {
  override readonly name: string = 'CommandFailedError';
}

/** No resource has the given name or beginning of an id. */
export class UnknownNameError extends CommandFailedError {
  override readonly name = 'UnknownNameError';
}

/** A run that was waited for has ended without success. */
export class UnsuccessfulRunError extends Error {
  override readonly name = 'UnsuccessfulRunError';
}
