import express, { type Request, type RequestHandler, type Response } from 'express';
import { announcesTooMuch, askForBody, bodyTooLarge, hasBody } from '../../http-server/readable-request.js';
import { WebError } from '../web-error.js';

/** `http-errors` types that the body parser throws: https://www.npmjs.com/package/body-parser#errors */
const repliesOf = (
  maximumBytes: number,
): Readonly<Record<string, readonly [status: number, message: string]>> => ({
  'entity.too.large': [413, bodyTooLarge(maximumBytes)],
  'encoding.unsupported': [415, 'The content encoding must be identity or one of gzip, deflate, br, zstd'],
  'request.aborted': [400, 'The request was aborted'],
  'request.size.invalid': [400, "The body's length differs from Content-Length"],
});

/** Reads a request's body without parsing it; the service validates it. */
export type BodyReader = (request: Request, response: Response) => Promise<Buffer | undefined>;

/**
 * Reads a JSON body and refuses other types: a form of another site could send those without a preflight.
 *
 * @param maximumBytes of a body, after decompression
 * @throws WebError 413 if it is larger, 415 for another type, 400 if it is incomplete
 */
export function jsonBodyReader(maximumBytes: number): BodyReader {
  const parse = express.raw({ type: () => true, limit: maximumBytes });
  const replies = repliesOf(maximumBytes);
  return async (request, response) => {
    if (!hasBody(request)) return undefined;
    if (announcesTooMuch(request, maximumBytes)) throw new WebError(413, bodyTooLarge(maximumBytes));
    if (request.is('application/json') === false) {
      throw new WebError(415, 'The content type must be application/json');
    }
    askForBody(request, response);
    await run(parse, request, response, replies);
    return request.body as Buffer;
  };
}

function run(
  handler: RequestHandler,
  request: Request,
  response: Response,
  replies: ReturnType<typeof repliesOf>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    void handler(request, response, (error?: unknown) => {
      if (!error) return resolve();
      const { type = '' } = error as { type?: string };
      const [status, message] = replies[type] ?? [400, "The body can't be read"];
      reject(new WebError(status, message, {}, error));
    });
  });
}
