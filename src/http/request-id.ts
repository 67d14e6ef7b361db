import { randomUUID } from 'node:crypto';
import type { Response } from 'express';

/** A year. Browsers heed it over TLS only; subdomains of the host may not support TLS. */
const TRANSPORT_SECURITY = 'max-age=31536000';
/** For replies that are no pages: a browser that shows one loads nothing for it, and frames it nowhere. `/docs` sets its own. */
const CONTENT_SECURITY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Headers of every response; a value that its handler has set wins. */
const BASE_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Strict-Transport-Security', TRANSPORT_SECURITY],
  ['Content-Security-Policy', CONTENT_SECURITY],
] as const;

/** Sets the headers of every response that are not set yet. */
export function setBaseHeaders(response: Response): void {
  requestIdOf(response);
  for (const [name, value] of BASE_HEADERS) if (!response.hasHeader(name)) response.setHeader(name, value);
}

/** The response's `X-Request-Id`: a well-formed one of the request is kept, else one is made at the first call. */
export function requestIdOf(response: Response): string {
  const set = response.getHeader('X-Request-Id');
  if (set !== undefined) return String(set);
  const given = response.req.headers['x-request-id'];
  const id = typeof given === 'string' && SANE.test(given) ? given : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}
