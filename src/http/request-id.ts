import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Sets the headers of every response. A well-formed `X-Request-Id` of the request is kept. */
export function baseHeaders(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  response.setHeader('X-Request-Id', typeof given === 'string' && SANE.test(given) ? given : randomUUID());
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  next();
}

export function requestIdOf(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
