import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Headers that every response carries; the request's own id is kept when it is sane. */
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
