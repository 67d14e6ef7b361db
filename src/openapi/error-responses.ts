import { MARKED_RATE_LIMITED } from '../access/rate-limited.js';
import { SECURITY_SCHEMES } from '../access/route-access.js';
import { ERROR_CODES, RULE_CODES } from '../errors/error-codes.js';
import { API_ERRORS, IMPLIED_ERRORS } from '../http/openapi/api-errors.js';
import type { Components, Operation } from '../http/openapi/operation.js';
import { errorHeaders } from './response-headers.js';

/** Meaning of each failure without a more exact description by the route. */
const MEANINGS: Readonly<Record<string, string>> = {
  400: "The path can't be read, or the body is not JSON.",
  401: 'The credential is missing, unknown, expired or of the wrong kind.',
  403: 'The account is deactivated, or is not allowed to do this.',
  404: 'The resource does not exist, or belongs to others.',
  409: 'A request with this `Idempotency-Key` is still in progress.',
  412: 'The config has another version than the one in `If-Match`.',
  413: 'The body is too large.',
  415: 'The content type is not `application/json`.',
  422: 'A value breaks a rule, or there is too much to search, count or skip; `message` names what to change.',
  429: 'Too many requests from this IP address or for this account; `Retry-After` says how long to wait.',
  502: 'Another system failed; `message` says how.',
  503:
    'The database is unavailable, the service is starting, shutting down or overloaded, or too many searches and ' +
    'counts are in progress.',
  default:
    'Any other failure: 408 if the request did not arrive within 15 seconds, 417 for an unknown `Expect`, 421 for ' +
    "an unknown `Host`, 431 if the headers are too large, 500 for an error in the service; on routes that don't " +
    "list them, 400 if the path can't be read, and 400, 413 and 415 for a body that the route does not need.",
};

type Marked = Operation & {
  [API_ERRORS]?: Record<number, string>;
  [IMPLIED_ERRORS]?: Record<number, string>;
  [MARKED_RATE_LIMITED]?: true;
};

/** Errors of an operation, by status, derived from its shape. The text is the route's own; empty: it has none. */
function failuresOf(operation: Marked): Record<string, string> {
  const parameters = (operation.parameters ?? []) as { in: string; name: string }[];
  const statuses = [
    ...(operation.security?.[0] ? [401, 403, 503] : [400]),
    ...(operation.requestBody ? [400, 413, 415, 422, 503] : []),
    // A route of people refuses query parameters that it does not have.
    ...(parameters.length > 0 || isOfPeople(operation) ? [422] : []),
    ...(parameters.some(({ in: place, name }) => place === 'path' || name === 'project_id') ? [404] : []),
    ...(operation[MARKED_RATE_LIMITED] ? [429] : []),
    'default',
  ];
  return {
    ...Object.fromEntries(statuses.map((status) => [status, ''])),
    ...operation[IMPLIED_ERRORS],
    ...operation[API_ERRORS],
  };
}

function isOfPeople({ security = [] }: Operation): boolean {
  return security.length > 0 && !security.some((scheme) => SECURITY_SCHEMES.agentApiKey in scheme);
}

/** The codes of errors and of rules, as enumerations with the meaning of each word. */
export function codeSchemas(): NonNullable<Components['schemas']> {
  const schemaOf = (codes: Readonly<Record<string, string>>) => ({
    type: 'string' as const,
    enum: Object.keys(codes),
    description: Object.entries(codes)
      .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
      .join('\n'),
  });
  return { ErrorCode: schemaOf(ERROR_CODES), RuleCode: schemaOf(RULE_CODES) };
}

/** The error components, to which operations refer by status. */
export function errorComponents(): NonNullable<Components['responses']> {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } };
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([status, description]) => [
      status,
      { description, ...errorHeaders(status), content },
    ]),
  );
}

/**
 * Replaces each error response of the operation by a reference to the component of that status. The operation's own
 * description, if any, is next to the reference and overrides the component's (OpenAPI 3.1).
 */
export function addErrorResponses(operation: Operation): void {
  const responses = operation.responses as Record<string, object>;
  for (const [status, description] of Object.entries(failuresOf(operation))) {
    if (!MEANINGS[status]) throw new Error(`There is no component for the error status ${status}`);
    responses[status] ??= {
      $ref: `#/components/responses/${status}`,
      ...(description === '' ? {} : { description }),
    };
  }
  delete (operation as Marked)[API_ERRORS];
  delete (operation as Marked)[IMPLIED_ERRORS];
}
