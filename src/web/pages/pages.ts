import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import sirv from 'sirv';
import { WebError } from '../web-error.js';
import { styleNonceOf } from './security-headers.js';

const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const SERVICE_URL_PLACEHOLDER = '__SERVICE_URL__';

/** Names of pages: words and identifiers, nothing encoded, and no dot at the end, which is a file's. */
const PAGE = /^(\/[\w~-][\w.~-]*(?<!\.\w{1,8}))*\/?$/;

/** The dashboard has not been built. */
export class PagesMissingError extends Error {}

/**
 * The dashboard: its files as the build left them, compressed already, and for every page's address the one document,
 * whose scripts find the page.
 *
 * @param directory the result of the dashboard's build
 * @param serviceUrl where agents reach the service, for the commands that pages show
 * @throws PagesMissingError when there is none
 */
export function servePages(directory: string, serviceUrl: string): RequestHandler[] {
  const document = readDocument(join(directory, 'index.html')).replaceAll(SERVICE_URL_PLACEHOLDER, () =>
    escapeHtml(serviceUrl),
  );
  const files = sirv(directory, {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders: (response, path) => {
      // names in assets hold a hash of what is in them
      const isHashed = path.startsWith('/assets/');
      response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const page = (request: Request, response: Response) => {
    if (!isPage(request)) throw new WebError(404, 'There is no such page');
    response.set('Cache-Control', 'no-store').type('html');
    response.send(document.replaceAll(NONCE_PLACEHOLDER, styleNonceOf(response)));
  };
  return [
    (request, _response, next) => {
      if (request.method === 'GET' || request.method === 'HEAD') return next();
      throw new WebError(405, 'Pages can only be read', { Allow: 'GET, HEAD' });
    },
    // the document itself is never sent as it lies there: its nonce is this reply's
    (request, response, next) => {
      if (/^\/index\.html/i.test(request.path)) return next();
      // sirv lets a file that is gone (a newer build) end the process; its reply has begun, and can only be cut off
      response.once('pipe', (file) => file.once('error', () => response.destroy()));
      files(request, response, next);
    },
    page,
  ];
}

function isPage(request: Request): boolean {
  const [path = ''] = request.url.split('?', 1);
  const isReserved = /^\/(api|assets)(\/|$)/i.test(path);
  return PAGE.test(path) && !isReserved && request.accepts('html') !== false;
}

function readDocument(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PagesMissingError('The dashboard is not built: npm run build', { cause: error });
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
