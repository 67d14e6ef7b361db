import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import { announcesTooMuch, askForBody, hasBody } from '../http-server/readable-request.js';
import { scanBody } from './body-scan.js';
import { HalfReadBodies } from './half-read-bodies.js';
import { isOtlp, isProtobuf, OTLP_TYPES } from './otlp-requests.js';

/** RFC 8259, 8.1: JSON that travels between systems is UTF-8, so another charset is refused. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/**
 * Parses JSON bodies: malformed 400, too large 413, another content type 415. A missing body is accepted here; the
 * route's validation refuses it where one is needed. The body of an OTLP request stays the bytes that came: its route
 * decodes them, and knows a retry by them.
 *
 * @param maximumBytes of the body, after decompression
 */
export function readBodies(maximumBytes: number): RequestHandler {
  const halfRead = new HalfReadBodies();
  const parseJson = express.json({
    limit: maximumBytes,
    // Any JSON type is parsed; the route's validation refuses what is not an object.
    strict: false,
    verify: (_request, _response, bytes) => scanBody(bytes),
  });
  const readOtlp = express.raw({
    limit: maximumBytes,
    type: OTLP_TYPES,
    verify: (request, _response, bytes) => {
      // Protocol Buffers are scanned by their messages when they are decoded.
      if (!isProtobuf(request as Request)) scanBody(bytes);
    },
  });

  return (request: Request, response: Response, next: NextFunction) => {
    if (!hasBody(request)) {
      next();
      return;
    }
    // Refused before it is read: the parser would read all of it first.
    if (announcesTooMuch(request, maximumBytes)) throw new PayloadTooLargeException('The body is too large');
    const types = isOtlp(request) ? OTLP_TYPES : ['application/json'];
    if (request.is(types) === false) {
      throw new UnsupportedMediaTypeException(`The content type must be ${types.join(' or ')}`);
    }
    if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
      throw new UnsupportedMediaTypeException('The charset must be utf-8');
    }
    askForBody(request, response);
    halfRead.watch(request);
    (isOtlp(request) ? readOtlp : parseJson)(request, response, next);
  };
}
