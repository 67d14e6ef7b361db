import type { NestExpressApplication } from '@nestjs/platform-express';
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
import { RequestValidationPipe } from './validation.js';

/** Configures an application before it listens, in the service and in tests alike. */
export function configureApp(app: NestExpressApplication, settings: Settings): void {
  app.set('query parser', parseQuery);
  app.set('trust proxy', settings.TRUST_PROXY);
  app.disable('x-powered-by');
  app.disable('etag');
  guardConnections(app.getHttpServer());
  app.use(measureRequests(settings.REQUEST_LOG_ONE_IN, app.get<Logger>(LOGGER)), baseHeaders);
  if (hasTraces(settings)) app.use(traceRequests);
  if (!settings.ROLES.includes('api')) app.use(refuseWithoutRole);
  app.use(refuseUnreadable, refuseMethods(RouteMethods.of(app)), readBodies(settings.MAX_BODY_BYTES));
  app.useGlobalPipes(new RequestValidationPipe());
  serveDocumentation(app);
}
