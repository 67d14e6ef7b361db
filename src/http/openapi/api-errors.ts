import { ApiExtension } from '@nestjs/swagger';

/** Vendor extension that passes the statuses from the decorator to the document builder; it is not in the document. */
export const API_ERRORS = 'x-errors';

/** Vendor extension for the statuses that other decorators add; it is not in the document either. */
export const IMPLIED_ERRORS = 'x-implied-errors';

/** An error status with its usual meaning, or statuses with their meanings for the route. */
type Failure = number | Readonly<Record<number, string>>;

/**
 * Documents error statuses of a route beyond those that follow from its shape (401 and 403 of a guarded one, 422 of one
 * with parameters, ...; see `error-responses.ts`): `@ApiErrors(404, { 409: 'The webhook is switched off.' })`.
 */
export const ApiErrors = (...failures: readonly Failure[]) => ApiExtension(API_ERRORS, byStatus(failures));

/**
 * Documents error statuses that a decorator adds to each of its routes; the route's own descriptions take precedence.
 */
export const ApiImpliedErrors = (...failures: readonly Failure[]) =>
  ApiExtension(IMPLIED_ERRORS, byStatus(failures));

/** An empty text stands for the usual meaning of the status. */
function byStatus(failures: readonly Failure[]): Record<number, string> {
  return Object.assign(
    {},
    ...failures.map((failure) => (typeof failure === 'number' ? { [failure]: '' } : failure)),
  ) as Record<number, string>;
}
