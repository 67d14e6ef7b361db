import { randomUUID } from 'node:crypto';
import type { Response } from 'express';
import { givenRequestId } from '../http-server/given-request-id.js';

/** A year. Browsers heed it over TLS only; subdomains of the host may not support TLS. */
const TRANSPORT_SECURITY = 'max-age=31536000';
/** For replies that are no pages: a browser that shows one loads nothing for it, and frames it nowhere. `/docs` sets its own. */
const CONTENT_SECURITY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Headers of every response; a value that its handler has set wins. */
const BASE_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
  ['Strict-Transport-Security', TRANSPORT_SECURITY],
  ['Content-Security-Policy', CONTENT_SECURITY],
] as const;

/** A response that keeps its id. As a header, a waiting poll would hold a table of one header for it. */
export type IdentifiedResponse = Response & { requestId?: string };

/** Sets the headers of every response, where its handler may send it by ways of its own. */
export function setBaseHeaders(response: Response): void {
  response.setHeader('X-Request-Id', requestIdOf(response));
  for (const [name, value] of BASE_HEADERS) response.setHeader(name, value);
}

/**
 * Adds the headers of every response that are not set yet.
 *
 * @param headers names and values in turn, as `writeHead` takes them; none of those that are added
 */
export function withBaseHeaders(response: IdentifiedResponse, headers: readonly string[]): string[] {
  const all = [...headers, 'X-Request-Id', requestIdOf(response)];
  for (const [name, value] of BASE_HEADERS) if (!response.hasHeader(name)) all.push(name, value);
  return all;
}

/** The response's `X-Request-Id`: a well-formed one of the request is kept, else one is made at the first call. */
export function requestIdOf(response: IdentifiedResponse): string {
  response.requestId ??= givenRequestId(response.req.headers) ?? randomUUID();
  return response.requestId;
}
