import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

const MAXIMUM_USER_AGENT = 300;

/** The place that a request came from, as far as it can be known. */
export interface RequestOrigin {
  /** Address of the caller, by `TRUST_PROXY`; null once the connection is gone. */
  readonly address: string | null;
  /** The first 300 characters of `User-Agent`. */
  readonly userAgent: string | null;
}

export const Origin = createParamDecorator((_: unknown, context: ExecutionContext): RequestOrigin => {
  const request = context.switchToHttp().getRequest<Request>();
  const userAgent = request.headers['user-agent']?.slice(0, MAXIMUM_USER_AGENT);
  return { address: request.ip ?? null, userAgent: userAgent || null };
});
