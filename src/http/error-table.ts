import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import {
  DomainError,
  type ErrorKind,
  InvalidError,
  RateLimitedError,
  UnavailableError,
} from '../errors/domain-error.js';

/** The reply to a failure, and the level at which it is logged. */
export interface ErrorReply {
  readonly status: number;
  readonly message: string | readonly string[];
  /** Absent for a 503: see `RetryLine`. */
  readonly retryAfterSeconds?: number;
  readonly level: 'debug' | 'warn' | 'error';
}

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  refused: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid: 422,
  rate_limited: 429,
  bad_gateway: 502,
  unavailable: 503,
};

/** `http-errors` types that the body parser throws: https://www.npmjs.com/package/body-parser#errors */
const bodyParserReplies: Readonly<Record<string, readonly [status: number, message: string]>> = {
  'entity.parse.failed': [400, 'Malformed JSON'],
  'request.aborted': [400, 'The request was aborted'],
  'request.size.invalid': [400, 'The body is not as long as Content-Length says'],
  'entity.too.large': [413, 'The body is too large'],
  'encoding.unsupported': [415, 'Unsupported content encoding'],
  'charset.unsupported': [415, 'The charset must be utf-8'],
};

/**
 * Maps everything that can be thrown to a reply; no other code chooses a failure's status. An error in no table is a fault
 * of the service (500). So is a value that the database refuses, because validation should have refused it.
 */
export function replyTo(error: unknown): ErrorReply {
  if (error instanceof DomainError) return domainReply(error);
  if (error instanceof HttpException) return frameworkReply(error);
  if (isDatabaseUnavailable(error)) return { ...domainReply(new UnavailableError()), level: 'warn' };
  return { status: 500, message: 'Internal server error', level: 'error' };
}

function domainReply(error: DomainError): ErrorReply {
  return {
    status: statusOfKind[error.kind],
    message: error instanceof InvalidError ? error.messages : error.message,
    retryAfterSeconds:
      error instanceof RateLimitedError || error instanceof UnavailableError
        ? error.retryAfterSeconds
        : undefined,
    level: error.kind === 'unavailable' ? 'warn' : 'debug',
  };
}

/** Reply to errors of Express and its body parser, which Nest wraps. Their own messages would repeat parts of the body. */
function frameworkReply(error: HttpException): ErrorReply {
  const status = error.getStatus();
  // Thrown while the body was read.
  if (error.cause instanceof DomainError) return domainReply(error.cause);
  const { cause } = error as { cause?: { readonly type?: unknown; readonly code?: unknown } };
  const parserReply = bodyParserReplies[String(cause?.type)];
  if (parserReply) return { status: parserReply[0], message: parserReply[1], level: 'debug' };
  if (cause instanceof URIError) return { status, message: 'Malformed path', level: 'debug' };
  if (String(cause?.code).startsWith('Z_') || String(cause?.code).startsWith('ERR_')) {
    return { status, message: 'The body can not be decoded', level: 'debug' };
  }
  if (status === 404) return { status, message: 'Route not found', level: 'debug' };
  return { status, message: error.message, level: status >= 500 ? 'error' : 'debug' };
}
