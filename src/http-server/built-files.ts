import type { RequestHandler } from 'express';
import sirv, { type Options } from 'sirv';

/** Serves the files of a build, which are listed once, when the server starts. */
export function serveBuiltFiles(directory: string, options: Options): RequestHandler {
  const files = sirv(directory, { etag: true, extensions: [], ...options });
  return (request, response, next) => {
    // sirv fails at "bytes=5-2", and sends the first bytes for the last ones; files are small, so each is sent whole
    delete request.headers.range;
    // without this listener a file that a newer build has removed would end the process; the reply can only be cut off
    response.once('pipe', (file) => file.once('error', () => response.destroy()));
    files(request, response, next);
  };
}
