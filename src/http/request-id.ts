import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';

/** A year. Browsers heed it over TLS only; subdomains of the host may not support TLS. */
const TRANSPORT_SECURITY = 'max-age=31536000';
/** For replies that are no pages: a browser that shows one loads nothing for it, and frames it nowhere. `/docs` sets its own. */
const CONTENT_SECURITY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Sets the headers of every response. A well-formed `X-Request-Id` of the request is kept. */
export function setBaseHeaders(request: Request, response: Response): void {
  const given = request.headers['x-request-id'];
  response.setHeader('X-Request-Id', typeof given === 'string' && SANE.test(given) ? given : randomUUID());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Strict-Transport-Security', TRANSPORT_SECURITY);
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY);
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
