import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { LOGGER } from '../config/logger.js';
import type { Settings } from '../config/settings.js';
import { hasTraces } from '../config/tracing.js';
import { guardConnections } from '../http-server/guard-connections.js';
import { readBodies } from './body-parsing.js';
import { serveDocumentation } from './openapi/documentation.js';
import { measureRequests } from './measure-requests.js';
import { parseQuery } from './query-parsing.js';
import { refuseMethods } from './refuse-methods.js';
import { baseHeaders } from './request-id.js';
import { refuseUnreadable } from './refuse-unreadable.js';
import { refuseWithoutRole } from './refuse-without-role.js';
import { RouteMethods } from './route-methods.js';
import { traceRequests } from './trace-requests.js';

/** Configures an application before it listens, in the service and in tests alike. */
export function configureApp(app: NestExpressApplication, settings: Settings): void {
  app.set('query parser', parseQuery);
  app.set('trust proxy', settings.TRUST_PROXY);
  app.disable('x-powered-by');
  app.disable('etag');
  guardConnections(app.getHttpServer());
  app.use(
    inTurn([
      measureRequests(settings.REQUEST_LOG_ONE_IN, app.get<Logger>(LOGGER)),
      baseHeaders,
      ...(hasTraces(settings) ? [traceRequests] : []),
      ...(settings.ROLES.includes('api') ? [] : [refuseWithoutRole]),
      refuseUnreadable,
      refuseMethods(RouteMethods.of(app)),
      readBodies(settings.MAX_BODY_BYTES),
    ]),
  );
  serveDocumentation(app);
}

/** One layer of the router for all steps: each layer more would cost every request 0.7 KB, and the match of its path. */
function inTurn(steps: readonly RequestHandler[]): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    let at = 0;
    const proceed = (error?: unknown): unknown =>
      error !== undefined || at === steps.length ? next(error) : steps[at++]!(request, response, proceed);
    proceed();
  };
}
