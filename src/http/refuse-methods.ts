import { MethodNotAllowedException, NotFoundException } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { RouteMethods } from './route-methods.js';

/** Files of the documentation's page; a middleware of its own knows which ones there are. */
const FILES = /^\/docs\//i;

/**
 * A path that nothing is at is a 404, and a method that an existing path does not have is a 405 with `Allow`: at once,
 * whatever the credential and the body are. OPTIONS is no exception: pages of other origins may not call the service, so
 * nobody has to be told more than `Allow` tells.
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
