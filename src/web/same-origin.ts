import type { Request } from 'express';
import { WebError } from './web-error.js';

/** Where people reach this server: what a browser that shows its pages calls their origin. */
export interface OwnOrigin {
  /** Host and port, as in `URL.host`. */
  readonly host: string;
  readonly hostname: string;
  /** Nothing where only the browser can tell: a proxy that speaks TLS need not say so. */
  readonly scheme: 'http:' | 'https:' | undefined;
}

/** @param publicUrl `WEB_PUBLIC_URL`; empty: the request's own `Host` tells */
export function ownOrigin(request: Request, publicUrl: string): OwnOrigin {
  if (publicUrl !== '') {
    const { host, hostname, protocol } = new URL(publicUrl);
    return { host, hostname, scheme: protocol as 'http:' | 'https:' };
  }
  const given = `http://${request.headers.host ?? ''}`;
  // a port that is a scheme's default is left out by browsers and kept by `http://host:443`
  const { host, hostname } = URL.canParse(given) ? new URL(given) : { host: '', hostname: '' };
  return { host, hostname, scheme: request.secure ? 'https:' : undefined };
}

/** Whether a browser takes the address for one of its own machine, and so for safe without TLS. */
export function isLocalhost(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * A page of another origin must not change anything with the cookies of this one. `Sec-Fetch-Site` is the browser's
 * word, which no page can forge; `Origin` and, where a browser sends neither, `Referer` say where the page is from. Every
 * browser of this decade says one of the first two with a request that changes something, so one that says nothing comes
 * from a program, which has no cookies but those that it was given.
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
