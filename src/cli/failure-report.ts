import { StreamEndedError } from '../client/live-stream.js';
import { ServiceError, UnreachableError } from '../client/service-errors.js';
import { CommandFailedError, EXIT, NotLoggedInError, UsageError } from './failures.js';
import { printableLine } from './output/printable.js';

export interface Failure {
  readonly exitCode: number;
  /** One line that says what to do next. */
  readonly line: string;
}

/** What becomes of an error: its exit code, and what the caller is told. */
export function failureOf(error: unknown): Failure {
  const { exitCode, line } = judged(error);
  return { exitCode, line: printableLine(line) };
}

function judged(error: unknown): Failure {
  if (error instanceof UsageError) return { exitCode: EXIT.usage, line: error.message };
  if (error instanceof NotLoggedInError) return { exitCode: EXIT.notLoggedIn, line: error.message };
  if (error instanceof CommandFailedError) return { exitCode: EXIT.refused, line: error.message };
  if (error instanceof ServiceError) return ofRefusal(error);
  if (error instanceof StreamEndedError && error.reason === 'credential')
    return { exitCode: EXIT.notLoggedIn, line: LOG_IN_AGAIN };
  if (error instanceof StreamEndedError) return { exitCode: EXIT.refused, line: error.message };
  if (error instanceof UnreachableError)
    return {
      exitCode: EXIT.unreachable,
      line: `${error.message}: is it running, and is the address right? Set it with --api-url or SERVICE_API_URL`,
    };
  const message = error instanceof Error ? error.message : String(error);
  return {
    exitCode: EXIT.refused,
    line: `Something unexpected went wrong (${message}): run it again with SVC_DEBUG=1 to see where`,
  };
}

const LOG_IN_AGAIN =
  'The service does not accept this credential: log in again with "svc login", or replace the key that is used';

function ofRefusal(error: ServiceError): Failure {
  const { status, detail } = error;
  if (status === 401)
    return {
      exitCode: EXIT.notLoggedIn,
      line: `${detail}: run "svc login"; a user API key is not good for whoami and api-keys`,
    };
  return { exitCode: EXIT.refused, line: `${detail}${adviceOn(error)}` };
}

function adviceOn({ status, requestId, retryAfterSeconds }: ServiceError): string {
  if (status === 404) return ': check the id; the list commands show those that there are';
  if (status === 429 || status === 503)
    return `: try again in ${Math.max(1, Math.ceil(retryAfterSeconds ?? 1))} seconds`;
  if (status >= 500)
    return `: try again later; the service's log tells more${requestId === undefined ? '' : ` about request ${requestId}`}`;
  return '';
}
