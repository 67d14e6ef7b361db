import type { OpenAPIObject } from '@nestjs/swagger';
import { API_ERRORS, IMPLIED_ERRORS } from './api-errors.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const UNREADABLE = 'The path can not be read, or the body is not JSON.';

/** Statuses of every operation: a body that nobody needs is read all the same. */
const ALWAYS = {
  400: UNREADABLE,
  413: 'The body is too large.',
  415: 'The content type is not `application/json`.',
};

const OTHERS =
  'Any other failure: 408 when the request did not arrive within 15 seconds, 417 when `Expect` asks for anything but ' +
  '`100-continue`, 431 when the headers are too large, 500 when the service is at fault.';

const UNSECURED_DESCRIPTION = {
  422: 'A value breaks a rule; `message` names each one.',
  503: 'The database is away, or the service is starting, ending or overloaded.',
};

type Marked = Operation & {
  [API_ERRORS]?: Record<number, string>;
  [IMPLIED_ERRORS]?: Record<number, string>;
};

/** Which errors an operation can answer, told from its shape. */
function statusesOf(operation: Marked): Record<string, string> {
  const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
  const scheme = operation.security?.[0];
  const statuses: Record<string, string> = { ...ALWAYS };
  if (operation.requestBody) Object.assign(statuses, UNSECURED_DESCRIPTION);
  if (parameters.length > 0) statuses[422] = UNSECURED_DESCRIPTION[422];
  if (scheme) {
    statuses[401] = 'The credential is missing, unknown, expired or of the wrong kind.';
    statuses[403] = 'The account is deactivated, or lacks the right.';
    statuses[503] = UNSECURED_DESCRIPTION[503];
  }
  if (parameters.some((parameter) => parameter.in === 'path')) {
    statuses[404] = "There is no such resource, or it is somebody else's.";
  }
  return { ...statuses, ...operation[IMPLIED_ERRORS], ...operation[API_ERRORS] };
}

export function addErrorResponses(operation: Operation): void {
  const reference = { schema: { $ref: '#/components/schemas/ErrorBody' } };
  const responses = operation.responses as Record<string, object>;
  for (const [status, description] of Object.entries(statusesOf(operation))) {
    responses[status] ??= { description, content: { 'application/json': reference } };
  }
  responses.default = { description: OTHERS, content: { 'application/json': reference } };
  delete (operation as Marked)[API_ERRORS];
  delete (operation as Marked)[IMPLIED_ERRORS];
}
