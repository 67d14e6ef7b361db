import { HttpException } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { unreadableReason } from '../http-server/readable-request.js';

/** Refuses requests with a bad `Host` or `Expect`, whatever their path. */
export function refuseUnreadable(request: Request, _response: Response, next: NextFunction): void {
  const refusal = unreadableReason(request);
  if (refusal) throw new HttpException(refusal.message, refusal.status);
  next();
}
