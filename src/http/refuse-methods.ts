import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RouteMethods } from './route-methods.js';

/** Paths of the documentation's files; a middleware of its own serves them. */
const FILES = /^\/docs\//i;

/**
 * Answers 404 for an unknown path, and 405 with `Allow` for a method that an existing path does not have: before the
 * credential and the body are read. OPTIONS is a 405, too, because pages of other origins may not call the service.
 */
export function refuseMethods(routes: RouteMethods): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const methods = routes.at(request.path);
    if (methods?.has(request.method)) return next();
    if (methods) {
      response.setHeader('Allow', [...methods].sort().join(', '));
      throw new MethodNotAllowedException(`The path has no ${request.method}: see Allow`);
    }
    if (FILES.test(request.path)) return next();
    throw new NotFoundException();
  };
}
