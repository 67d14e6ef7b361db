import type { NextFunction, Request, Response } from 'express';
import { UnavailableError } from '../errors/domain-error.js';

/** Paths that an instance serves whatever its roles are. */
const EVERYWHERE = /^\/(health|ready|metrics)?$/i;

/** Throws the 503 of an instance without the role `api`: a load balancer sends it requests that are for another one. @throws UnavailableError */
export function refuseWithoutRole({ path }: Request, _response: Response, next: NextFunction): void {
  if (EVERYWHERE.test(path)) return next();
  throw new UnavailableError('This instance does not serve the API: its ROLES are without api');
}
