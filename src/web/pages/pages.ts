import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { serveBuiltFiles } from '../../http-server/built-files.js';
import { WebError } from '../web-error.js';
import { styleNonceOf } from './security-headers.js';

const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const SERVICE_URL_PLACEHOLDER = '__SERVICE_URL__';
const BASE_PATH_PLACEHOLDER = '__BASE_PATH__';
const ROOT = '<div id="root">';
/** Beginning of the address of each file in the built document. */
const RELATIVE = '="./';

/** Paths of pages: words and identifiers without encoded characters, and without a file's extension. */
const PAGE = /^(\/[\w~-][\w.~-]*(?<!\.\w{1,8}))*\/?$/;

/** Addresses that the document contains, and how a frame for it is chosen. */
export interface PagesOptions {
  /** The service's for agents, for the commands on pages. */
  readonly serviceUrl: string;
  /** Path of the dashboard from outside, without a slash at its end; empty: it is at the root. */
  readonly basePath: string;
  /** Returns true if a request has the cookie of a session, whether or not the session is over. */
  readonly isSignedIn: (request: Request) => boolean;
}

/** The dashboard or the documentation has not been built. */
export class PagesMissingError extends Error {}

/**
 * Serves the dashboard: the files of the build, already compressed, and one document for the path of every page, whose
 * scripts show the page.
 *
 * @param directory the result of the dashboard's build
 * @throws PagesMissingError if the dashboard is not built
 */
export function servePages(directory: string, options: PagesOptions): RequestHandler[] {
  const documentOf = readDocuments(directory, options);
  const files = serveBuiltFiles(directory, {
    brotli: true,
    gzip: true,
    setHeaders: (response, path) => {
      // names in assets contain a hash of the content
      const isHashed = path.startsWith('/assets/');
      response.setHeader('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const page = (request: Request, response: Response) => {
    if (!isPage(request)) throw new WebError(404, 'The page does not exist');
    response.set('Cache-Control', 'no-store').type('html');
    const document = documentOf(request.path, options.isSignedIn(request));
    response.send(document.replaceAll(NONCE_PLACEHOLDER, styleNonceOf(response)));
  };
  return [
    refuseChanges,
    // the document is never sent unchanged: it needs this reply's nonce; no file's name has to be encoded
    (request, response, next) => {
      if (/^\/(index\.html|frames\.json)|%/i.test(request.path)) next();
      else files(request, response, next);
    },
    page,
  ];
}

/** Refuses all methods that could change something. */
export const refuseChanges: RequestHandler = (request, _response, next) => {
  if (request.method === 'GET' || request.method === 'HEAD') return next();
  throw new WebError(405, 'Pages only support GET and HEAD', { Allow: 'GET, HEAD' });
};

function isPage(request: Request): boolean {
  const [path = ''] = request.url.split('?', 1);
  const isReserved = /^\/(api|assets)(\/|$)/i.test(path);
  return PAGE.test(path) && !isReserved && request.accepts('html') !== false;
}

/** First content of pages by their paths, as `src/web/ui/frames` renders it; `*` is that of all others. */
type FramesByPath = Readonly<Record<'*' | (string & {}), string>>;

interface Frames {
  readonly signedIn: FramesByPath;
  readonly signedOut: FramesByPath;
}

type DocumentOf = (path: string, isSignedIn: boolean) => string;

/**
 * Reads the document and the frames: what it shows until its scripts have the page.
 *
 * @throws PagesMissingError
 */
function readDocuments(directory: string, { serviceUrl, basePath }: PagesOptions): DocumentOf {
  const frames = JSON.parse(readBuilt(join(directory, 'frames.json'))) as Frames;
  // a page's own path is no base for the addresses of its files, because pages are at many depths
  const document = readBuilt(join(directory, 'index.html'));
  const withFrame = (frame: string) =>
    document
      .replace(ROOT, () => `${ROOT}${frame}`)
      .replaceAll(RELATIVE, `="${basePath}/`)
      .replaceAll(BASE_PATH_PLACEHOLDER, basePath)
      .replaceAll(SERVICE_URL_PLACEHOLDER, () => escapeHtml(serviceUrl));
  const withFrames = ({ '*': others, ...own }: FramesByPath) => ({
    own: new Map(Object.entries(own).map(([path, frame]) => [path, withFrame(frame)])),
    others: withFrame(others),
  });
  const [signedIn, signedOut] = [withFrames(frames.signedIn), withFrames(frames.signedOut)];
  return (path, isSignedIn) => {
    const { own, others } = isSignedIn ? signedIn : signedOut;
    const known = path.replace(/(?<=.)\/$/, '');
    return own.get(known) ?? own.get(known.replace(/\/[^/]+$/, '/:id')) ?? others;
  };
}

function readBuilt(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PagesMissingError('The dashboard is not built: npm run build', { cause: error });
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
