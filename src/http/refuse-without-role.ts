import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { UnavailableError } from '../errors/domain-error.js';

/** Paths that an instance serves whatever its roles are. */
const EVERYWHERE = /^\/(health|ready|metrics)?$/i;

/** Answers 503 on an instance without the role `api`: a load balancer sends it requests that are for another one. */
export const refuseWithoutRole: RequestHandler = (request: Request, _: Response, next: NextFunction) => {
  if (EVERYWHERE.test(request.path)) return next();
  throw new UnavailableError('This instance does not serve the API: its ROLES are without api');
};
