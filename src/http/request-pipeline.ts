import { HttpException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { hasTraces } from '../config/tracing.js';
import { UnavailableError } from '../errors/domain-error.js';
import { AnsweredHosts } from '../http-server/answered-hosts.js';
import { dropForwardedPorts } from '../http-server/forwarded-addresses.js';
import { unreadableReason } from '../http-server/readable-request.js';
import { readBodies } from './body-parsing.js';
import { refuseUnknownRoutes } from './known-routes.js';
import { measureRequests } from './measure-requests.js';
import { parseQuery } from './query-parsing.js';
import { setBaseHeaders } from './request-id.js';
import { traceRequest } from './trace-requests.js';

/** Paths that an instance serves whatever its roles are. */
const EVERYWHERE = /^\/(health|ready|metrics)?$/i;

/** Installs the steps that every request passes before the guards of its route, before the documentation and the routes. */
export function installRequestPipeline(
  app: NestExpressApplication,
  settings: Settings,
  logger: Logger,
): void {
  const { HOST, PUBLIC_URL, WEB_PUBLIC_URL } = settings;
  app.set('query parser', parseQuery);
  app.set('trust proxy', settings.TRUST_PROXY);
  app.disable('x-powered-by');
  app.disable('etag');

  const isApi = settings.ROLES.includes('api');
  const hosts = new AnsweredHosts(HOST, [PUBLIC_URL, WEB_PUBLIC_URL]);
  const measure = measureRequests(settings.REQUEST_LOG_ONE_IN, logger);
  const refuseUnknown = refuseUnknownRoutes(app.getHttpAdapter().getInstance());
  const readBody = readBodies(settings);

  if (hasTraces(settings)) app.use(traceRequest);
  app.use((request: Request, response: Response, next: NextFunction) => {
    dropForwardedPorts(request);
    setBaseHeaders(request, response);
    measure(request, response);
    if (!isApi) refuseWithoutRole(request);
    refuseUnreadable(request, hosts);
    refuseUnknown(request, response);
    return readBody(request, response, next);
  });
}

/** Throws the 503 of an instance without the role `api`: a load balancer sends it requests that are for another one. */
function refuseWithoutRole({ path }: Request): void {
  if (!EVERYWHERE.test(path))
    throw new UnavailableError('This instance does not serve the API: its ROLES do not include api');
}

function refuseUnreadable(request: Request, hosts: AnsweredHosts): void {
  const unreadable = unreadableReason(request, hosts);
  if (unreadable) throw new HttpException(unreadable.message, unreadable.status);
}
