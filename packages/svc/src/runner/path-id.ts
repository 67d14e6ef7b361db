import { UnexpectedReplyError } from '@agent-control-plane/client/internal/runtime/runtime-errors';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Checks an id of the service before it becomes part of a path: `../..` would lead out of the state directory.
 *
 * @param what the id stands for
 * @returns the id @throws UnexpectedReplyError
 */
export function pathId(id: string, what: string): string {
  if (ID.test(id)) return id;
  throw new UnexpectedReplyError(
    `The service has named ${what} that is not an id: ${JSON.stringify(id.slice(0, 100))}`,
  );
}
