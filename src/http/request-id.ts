import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { givenRequestId, type TrustsSender } from '../http-server/given-request-id.js';
import { wayOf } from './own-connections.js';

/** One year. Browsers obey it over TLS only; subdomains of the host may not support TLS. */
const TRANSPORT_SECURITY = 'max-age=31536000';
/**
 * For replies that are no pages: a browser that displays one loads nothing for it, and never frames it. `/docs` sets
 * its own policy.
 */
const CONTENT_SECURITY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Sets the headers of every response. A well-formed `X-Request-Id` of a trusted proxy, or of the service itself, is kept. */
export function setBaseHeaders(request: Request, response: Response): void {
  const trusts: TrustsSender = (address, hop) =>
    wayOf(request.socket) !== undefined || (request.app.get('trust proxy fn') as TrustsSender)(address, hop);
  response.setHeader('X-Request-Id', givenRequestId(request, trusts) ?? randomUUID());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Strict-Transport-Security', TRANSPORT_SECURITY);
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY);
}

/** The response's `X-Request-Id`. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id'));
}
