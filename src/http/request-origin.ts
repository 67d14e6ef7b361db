import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requestOf, responseOf } from '../access/http-context.js';
import type { RequestOrigin } from '../access/request-origin.js';
import { wayOf } from './own-connections.js';
import { requestIdOf } from './request-id.js';

const MAXIMUM_USER_AGENT = 300;

export function originOf(request: Request, response: Response | undefined): RequestOrigin {
  return {
    address: request.ip ?? null,
    userAgent: request.headers['user-agent']?.slice(0, MAXIMUM_USER_AGENT) || null,
    requestId: response ? requestIdOf(response) : '',
    way: wayOf(request.socket),
  };
}

/** Origin of the request, on routes whose caller has no principal. */
export const Origin = createParamDecorator((_: unknown, context: ExecutionContext): RequestOrigin => {
  return originOf(requestOf(context), responseOf(context));
});
