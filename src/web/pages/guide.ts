import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import compression from 'compression';
import express, { type ErrorRequestHandler, Router } from 'express';
import { WebError } from '../web-error.js';
import { PagesMissingError, refuseChanges } from './pages.js';

/**
 * Serves the documentation under `/docs/guide`, and sends `/docs` to the page of the API, which the service has. A file is
 * looked up at each request, so that a build during the run of a server is seen at once.
 *
 * @param directory the result of the documentation's build
 * @param serviceUrl the service's address from outside
 * @throws PagesMissingError if the documentation is not built
 */
export function serveGuide(directory: string, serviceUrl: string): Router {
  if (!existsSync(join(directory, 'index.html')))
    throw new PagesMissingError('The documentation is not built: npm run build');
  const assets = join(resolve(directory), 'assets/');
  const files = express.static(directory, {
    extensions: ['html'],
    redirect: false,
    // a part of a file would be compressed, and be no part of it for its reader
    acceptRanges: false,
    setHeaders: (response, path) => {
      // names in assets contain a hash of the content
      const isHashed = path.startsWith(assets);
      response.set('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const router = Router({ strict: true });
  router.get('/docs', (_request, response) => response.redirect(`${serviceUrl}/docs`));
  router.get('/docs/guide', (request, response) => response.redirect(`${request.baseUrl}/docs/guide/`));
  router.use('/docs/guide', refuseChanges, compression(), files, refuseCondition, () => {
    throw new WebError(404, 'There is no such page of the documentation');
  });
  return router;
}

/** A condition of the request, such as `If-Match`, that the file does not fulfil. */
const refuseCondition: ErrorRequestHandler = (
  error: { readonly status?: unknown },
  _request,
  response,
  next,
) => {
  // the type of the file is set already
  if (error.status === 412) response.type('json');
  next(error.status === 412 ? new WebError(412, 'The page has another version') : error);
};
