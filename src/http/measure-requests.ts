import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { instruments } from '../observability/instruments.js';
import { requestIdOf } from './request-id.js';

/** `route` is the route's template, or `none` without a match, so that the number of label values is bounded. */
const requests = new Counter({
  name: 'http_requests_total',
  help: 'Completed requests, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  registers: [instruments],
});

const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help:
    'Duration of requests from their headers to the end of the response; long polls and streams last as long as ' +
    'requested',
  labelNames: ['method', 'route'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  registers: [instruments],
});

/** Label of requests without a route: unknown paths, methods that a path does not have, unreadable requests. */
const NO_ROUTE = 'none';

/**
 * Counts and times every request by the template of its route, and logs a random sample, or all of them at `debug`.
 *
 * @param oneIn one of this many requests gets a line at `info`; 0: none. Queries and bodies are left out, because they
 * may contain secrets
 */
export function measureRequests(oneIn: number, logger: Logger) {
  return (request: Request, response: Response): void => {
    const receivedAt = performance.now();
    // Emitted once, whether the response was sent or its caller has disconnected.
    response.on('close', () => {
      const { method, path, ip } = request;
      const { statusCode: status } = response;
      const route = (request.route as { path?: string } | undefined)?.path ?? NO_ROUTE;
      const seconds = (performance.now() - receivedAt) / 1_000;
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
      const isDrawn = oneIn > 0 && Math.random() * oneIn < 1;
      if (isDrawn || logger.isLevelEnabled('debug')) {
        const line = { method, path, route, status, ms: Math.round(seconds * 1_000), address: ip };
        logger[isDrawn ? 'info' : 'debug']({ ...line, request_id: requestIdOf(response) }, 'request');
      }
    });
  };
}
