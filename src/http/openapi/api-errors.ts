import { ApiExtension } from '@nestjs/swagger';

/** Vendor extension that carries the statuses from the decorator to the document builder; not in the document. */
export const API_ERRORS = 'x-errors';

/**
 * Error statuses of a route beyond those that follow from its shape (401 and 403 of a guarded one, 422 of one with
 * parameters, ...; see `error-responses.ts`).
 */
export const ApiErrors = (statuses: Readonly<Record<number, string>>) => ApiExtension(API_ERRORS, statuses);

/** The same of what another decorator brings along. Not in the document either. */
export const IMPLIED_ERRORS = 'x-implied-errors';

/** Error statuses that a decorator adds to each route it stands on; what the route says itself comes first. */
export const ApiImpliedErrors = (statuses: Readonly<Record<number, string>>) =>
  ApiExtension(IMPLIED_ERRORS, statuses);
