import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { requests, requestSeconds } from '../observability/instruments.js';
import { requestIdOf } from './request-id.js';

/** Label of requests that no route took: unknown paths, methods that a path does not have, unreadable requests. */
const NO_ROUTE = 'none';

/**
 * Counts and times every request by the template of its route, and logs some.
 *
 * @param oneIn of so many requests one gets a line at `info`, drawn at random; 0: none. Queries and bodies are left out,
 *   because they may hold secrets
 */
export function measureRequests(
  oneIn: number,
  logger: Logger,
): (request: Request, response: Response) => void {
  return (request, response) => {
    const began = performance.now();
    // Comes once for every response, whether it was sent or its caller has gone.
    response.on('close', () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? NO_ROUTE;
      const { method } = request;
      const seconds = (performance.now() - began) / 1_000;
      requests.inc({ method, route, status: response.statusCode });
      requestSeconds.observe({ method, route }, seconds);
      if (oneIn > 0 && Math.random() * oneIn < 1) {
        const { path, ip } = request;
        const status = response.statusCode;
        const line = { method, path, route, status, ms: Math.round(seconds * 1_000), address: ip };
        logger.info({ ...line, request_id: requestIdOf(response) }, 'request');
      }
    });
  };
}
