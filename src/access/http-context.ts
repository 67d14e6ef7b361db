import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/** The request of a guard or a parameter. */
export function requestOf<R = Request>(context: ExecutionContext): R {
  return context.switchToHttp().getRequest<R>();
}

/** The response to the request of {@link requestOf}. */
export function responseOf(context: ExecutionContext): Response {
  return context.switchToHttp().getResponse<Response>();
}
