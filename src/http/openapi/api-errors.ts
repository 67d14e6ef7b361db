import { ApiExtension } from '@nestjs/swagger';

/** Vendor extension that carries the statuses from the decorator to the document builder; not in the document. */
export const API_ERRORS = 'x-errors';

/** The same for what another decorator brings along. Not in the document either. */
export const IMPLIED_ERRORS = 'x-implied-errors';

/** An error status with what it always means, or statuses with what they mean here. */
type Failure = number | Readonly<Record<number, string>>;

/**
 * Documents error statuses of a route beyond those that follow from its shape (401 and 403 of a guarded one, 422 of one
 * with parameters, ...; see `error-responses.ts`): `@ApiErrors(404, { 409: 'The webhook is switched off.' })`.
 */
export const ApiErrors = (...failures: readonly Failure[]) => ApiExtension(API_ERRORS, byStatus(failures));

/** Documents error statuses that a decorator adds to each route it stands on; what the route says itself comes first. */
export const ApiImpliedErrors = (...failures: readonly Failure[]) =>
  ApiExtension(IMPLIED_ERRORS, byStatus(failures));

/** An empty text stands for what the status always means. */
function byStatus(failures: readonly Failure[]): Record<number, string> {
  return Object.assign(
    {},
    ...failures.map((failure) => (typeof failure === 'number' ? { [failure]: '' } : failure)),
  ) as Record<number, string>;
}
