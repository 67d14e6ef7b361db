import { HttpException } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, RequestHandler, Response } from 'express';
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

/** A step that needs no time: it returns, or throws its refusal, which `ErrorFilter` answers. */
type Step = (request: Request, response: Response) => void;

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

  if (hasTraces(settings)) app.use(traceRequest);
  app.use(
    inOrder(
      [
        dropForwardedPorts,
        setBaseHeaders,
        measureRequests(settings.REQUEST_LOG_ONE_IN, logger),
        ...(settings.ROLES.includes('api') ? [] : [refuseWithoutRole]),
        refuseUnreadable(new AnsweredHosts(HOST, [PUBLIC_URL, WEB_PUBLIC_URL])),
        refuseUnknownRoutes(app.getHttpAdapter().getInstance()),
      ],
      readBodies(settings),
    ),
  );
}

/** One handler for Express, whose router takes 1 KiB and 5 µs for each. */
function inOrder(steps: readonly Step[], last: RequestHandler): RequestHandler {
  return (request, response, next) => {
    for (const step of steps) step(request, response);
    return last(request, response, next);
  };
}

/** Throws the 503 of an instance without the role `api`: a load balancer sends it requests that are for another one. */
function refuseWithoutRole({ path }: Request): void {
  if (!EVERYWHERE.test(path))
    throw new UnavailableError('This instance does not serve the API: its ROLES do not include api');
}

function refuseUnreadable(hosts: AnsweredHosts) {
  return (request: Request): void => {
    const unreadable = unreadableReason(request, hosts);
    if (unreadable) throw new HttpException(unreadable.message, unreadable.status);
  };
}
