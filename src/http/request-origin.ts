import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { RequestOrigin } from '../access/principal.js';
import { requestIdOf } from './request-id.js';

export function originOf(context: ExecutionContext): RequestOrigin {
  const http = context.switchToHttp();
  return {
    address: http.getRequest<Request>().ip ?? '',
    requestId: requestIdOf(http.getResponse<Response>()),
  };
}

/** Address and identifier of the request; on open routes, which have no principal. */
export const Origin = createParamDecorator((_: unknown, context: ExecutionContext) => originOf(context));
