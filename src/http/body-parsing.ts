import type { NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import { scanBody } from './body-scan.js';

/** RFC 8259, 8.1: JSON that travels between systems is UTF-8, whatever else a parameter may claim. */
const OTHER_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/**
 * JSON bodies: malformed 400, too large 413, another content type 415. No body at all is fine here; whether one
 * is needed is the route's validation to say.
 *
 * @param maximumBytes of the body, after decompression
 */
export function jsonBodies(maximumBytes: number): RequestHandler[] {
  const parse = express.json({
    limit: maximumBytes,
    // A body of any JSON type is read. That it must be an object is for the route's validation to say.
    strict: false,
    verify: (_request, _response, bytes) => scanBody(bytes),
  });
  return [refuseOtherTypes, parse];
}

function refuseOtherTypes(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  if (hasBody && request.is('application/json') === false) {
    throw new UnsupportedMediaTypeException('The content type must be application/json');
  }
  if (hasBody && OTHER_CHARSET.test(request.headers['content-type'] ?? '')) {
    throw new UnsupportedMediaTypeException('The charset must be utf-8');
  }
  next();
}
