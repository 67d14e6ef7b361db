import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

const NONCES = new WeakMap<ServerResponse, string>();

/**
 * The reply's nonce for the `<style>` elements that the component library adds. In hexadecimal: the page takes a text that
 * begins with `__` for a placeholder that nobody filled in, and one in 4,096 nonces in base64url does.
 */
export function styleNonceOf(response: ServerResponse): string {
  let nonce = NONCES.get(response);
  if (nonce === undefined) NONCES.set(response, (nonce = randomBytes(16).toString('hex')));
  return nonce;
}

const styleNonce = (_: IncomingMessage, response: ServerResponse) => `'nonce-${styleNonceOf(response)}'`;

/** Security headers: pages load and request from this server only, and can't be framed. */
export const securityHeaders: RequestHandler[] = [
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", styleNonce],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    // `no-referrer` would hide the origin of a page's own requests as well
    referrerPolicy: { policy: 'same-origin' },
    // subdomains of the host may not support TLS
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  }),
  (_request, response, next) => {
    response.set('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
    next();
  },
];
