import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Settings } from '../config/settings.js';
import { jsonBodies } from './body-parsing.js';
import { serveDocumentation } from './openapi/documentation.js';
import { parseQuery } from './query-parsing.js';
import { refuseMethods } from './refuse-methods.js';
import { baseHeaders } from './request-id.js';
import { RouteMethods } from './route-methods.js';
import { answerUnreadableRequests } from './unreadable-requests.js';
import { RequestValidationPipe } from './validation.js';

/**
 * How long a connection is kept that nothing is sent on, in milliseconds. Longer than an agent pauses between two
 * heartbeats, and than load balancers keep theirs (60 s, mostly), so that it is never this side that hangs up first.
 */
const KEEP_ALIVE_MS = 75_000;

/** What every instance of the application gets, in the service and in tests alike, before it listens. */
export function configureApp(app: NestExpressApplication, settings: Settings): void {
  app.set('query parser', parseQuery);
  app.set('trust proxy', settings.TRUST_PROXY);
  app.disable('x-powered-by');
  app.disable('etag');
  app.getHttpServer().keepAliveTimeout = KEEP_ALIVE_MS;
  answerUnreadableRequests(app.getHttpServer());
  app.use(baseHeaders, refuseMethods(RouteMethods.of(app)), ...jsonBodies(settings.MAX_BODY_BYTES));
  app.useGlobalPipes(new RequestValidationPipe());
  serveDocumentation(app);
}
