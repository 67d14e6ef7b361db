import { ServiceError, UnreachableError } from '@agent-control-plane/client';

/**
 * The pause that the service asks for after a failure that passes by itself: no answer, an error of the service, too many
 * requests. For callers whom the service has answered before: a proxy's page then says that it is away.
 *
 * @returns milliseconds; 0 if it asks for none
 * @throws the error if it does not pass
 */
export function passingPauseMs(error: unknown): number {
  if (error instanceof UnreachableError) return 0;
  if (!(error instanceof ServiceError)) throw error;
  const isPassing = error.status >= 500 || error.status === 429 || error.isOfProxy;
  if (!isPassing) throw error;
  return (error.retryAfterSeconds ?? 0) * 1_000;
}
