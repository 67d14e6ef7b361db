import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import { announcesTooMuch, askForBody, hasBody } from '../http-server/readable-request.js';
import { scanBody } from './body-scan.js';
import { HalfReadBodies } from './half-read-bodies.js';

/** RFC 8259, 8.1: JSON that travels between systems is UTF-8, whatever else a parameter may claim. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/**
 * JSON bodies: malformed 400, too large 413, another content type 415. No body at all is fine here; whether one
 * is needed is the route's validation to say.
 *
 * @param maximumBytes of the body, after decompression
 */
export function jsonBodies(maximumBytes: number): RequestHandler[] {
  const halfRead = new HalfReadBodies();
  const parse = express.json({
    limit: maximumBytes,
    // A body of any JSON type is read. That it must be an object is for the route's validation to say.
    strict: false,
    verify: (_request, _response, bytes) => scanBody(bytes),
  });

  function admitBody(request: Request, response: Response, next: NextFunction): void {
    if (!hasBody(request)) return next();
    // Said at once: the parser would read all of it first.
    if (announcesTooMuch(request, maximumBytes)) throw new PayloadTooLargeException('The body is too large');
    if (request.is('application/json') === false) {
      throw new UnsupportedMediaTypeException('The content type must be application/json');
    }
    if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
      throw new UnsupportedMediaTypeException('The charset must be utf-8');
    }
    askForBody(request, response);
    halfRead.watch(request);
    next();
  }

  return [admitBody, parse];
}
