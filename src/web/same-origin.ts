import type { Request } from 'express';
import { WebError } from './web-error.js';

/** The origin under which browsers reach this server. */
export interface OwnOrigin {
  /** Host and port, as in `URL.host`. */
  readonly host: string;
  readonly hostname: string;
  /** Undefined if this server can't know it: a TLS proxy may not send it. */
  readonly scheme: 'http:' | 'https:' | undefined;
}

/** @param publicUrl `WEB_PUBLIC_URL`; empty: the request's `Host` is used */
export function ownOrigin(request: Request, publicUrl: string): OwnOrigin {
  if (publicUrl !== '') {
    const { host, hostname, protocol } = new URL(publicUrl);
    return { host, hostname, scheme: protocol as 'http:' | 'https:' };
  }
  const given = `http://${request.headers.host ?? ''}`;
  // browsers leave out the default port of a scheme; `http://host:443` keeps it
  const { host, hostname } = URL.canParse(given) ? new URL(given) : { host: '', hostname: '' };
  return { host, hostname, scheme: request.secure ? 'https:' : undefined };
}

/** Returns true if browsers treat the host as this machine, and so as secure without TLS. */
export function isLocalhost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Refuses changes that a page of another origin requests with this origin's cookies. No page can forge `Sec-Fetch-Site`;
 * `Origin` and, without both, `Referer` name the page's origin. Every current browser sends one of the first two with a
 * request that changes something, so a request without them comes from a program, which has only the cookies it was given.
 *
 * @throws WebError 403
 */
export function requireSameOrigin(request: Request, own: OwnOrigin): void {
  const { origin, referer } = request.headers;
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') throw crossSite();
  const from = origin ?? referer;
  if (from !== undefined && !isOwn(from, own)) throw crossSite(own);
}

function isOwn(address: string, own: OwnOrigin): boolean {
  if (!URL.canParse(address)) return false;
  const { host, protocol } = new URL(address);
  const schemeFits = own.scheme === undefined ? /^https?:$/.test(protocol) : protocol === own.scheme;
  return schemeFits && host === own.host && host !== '';
}

function crossSite(own?: OwnOrigin): WebError {
  const hint = own?.scheme ? `: open ${own.scheme}//${own.host}` : '';
  return new WebError(403, `A request from another site is refused${hint}`);
}
