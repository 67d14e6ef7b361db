import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/** The request of a guard or of a parameter. `switchToHttp()` makes three functions at each call, of which a poll had four. */
export function requestOf<R = Request>(context: ExecutionContext): R {
  return context.getArgByIndex<R>(0);
}

/** The response to {@link requestOf}. */
export function responseOf(context: ExecutionContext): Response {
  return context.getArgByIndex<Response>(1);
}
