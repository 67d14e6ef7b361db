import type { ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/**
 * The request of a guard or a parameter. It avoids `switchToHttp()`, which creates three functions at each call; a poll
 * made four such calls.
 */
export function requestOf<R = Request>(context: ExecutionContext): R {
  return context.getArgByIndex<R>(0);
}

/** The response to the request of {@link requestOf}. */
export function responseOf(context: ExecutionContext): Response {
  return context.getArgByIndex<Response>(1);
}
