import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { recheckOf } from './caller.js';
import { requestOf, responseOf } from './http-context.js';

/** The caller of a request that waits. It may disconnect or lose its authorization meanwhile, so both are checked again. */
export interface WaitingCaller {
  /** A closed reply gets nothing: its caller has disconnected, and nobody would receive it. */
  readonly reply: Pick<Response, 'closed' | 'on' | 'statusCode'>;
  /** Throws the error with which a request with the same credential would be refused now. */
  readonly assertAllowed: () => Promise<void>;
}

/** The caller of a {@link WaitingRoute}, for checks before a reply that may outlast the credential. */
export const CurrentWaiting = createParamDecorator((_: unknown, context: ExecutionContext): WaitingCaller => {
  return { reply: responseOf(context), assertAllowed: recheckOf(requestOf(context)) };
});
