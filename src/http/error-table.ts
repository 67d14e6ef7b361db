import { HttpException } from '@nestjs/common';
import { isDatabaseUnavailable } from '../database/database-errors.js';
import { type AskedSecondFactor, SecondFactorRequiredError } from '../errors/second-factor-required.js';
import {
  type BrokenRule,
  DomainError,
  type ErrorKind,
  InvalidError,
  RateLimitedError,
  UnavailableError,
} from '../errors/domain-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { codeOfStatus } from '../http-server/status-code.js';

/** The reply to a failure, and the level at which it is logged. */
export interface ErrorReply {
  readonly status: number;
  readonly code: ErrorCode;
  /** One sentence; for a 422 the rules that are broken. */
  readonly message: string | readonly BrokenRule[];
  /** Absent for a 503: see `RetryLine`. */
  readonly retryAfterSeconds?: number;
  /** Only for `second_factor_required`. */
  readonly secondFactor?: AskedSecondFactor;
  readonly level: 'debug' | 'warn' | 'error';
}

const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  refused: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  invalid: 422,
  rate_limited: 429,
  bad_gateway: 502,
  unavailable: 503,
};

/**
 * Maps every error to a reply; no other code chooses a failure's status. An error in no table is a fault of the service
 * (500), and so is a value that the database refuses, because validation should have refused it.
 */
export function replyTo(error: unknown): ErrorReply {
  if (error instanceof DomainError) return domainReply(error);
  if (error instanceof HttpException) return frameworkReply(error);
  if (isDatabaseUnavailable(error)) return { ...domainReply(new UnavailableError()), level: 'warn' };
  return { status: 500, code: 'internal_server_error', message: 'Internal server error', level: 'error' };
}

function domainReply(error: DomainError): ErrorReply {
  return {
    status: statusOfKind[error.kind],
    code: error.code,
    message: error instanceof InvalidError ? error.rules : error.message,
    retryAfterSeconds:
      error instanceof RateLimitedError || error instanceof UnavailableError
        ? error.retryAfterSeconds
        : undefined,
    secondFactor: error instanceof SecondFactorRequiredError ? error.asked : undefined,
    // An operator has decided that changes are refused: that is no failure.
    level: error.kind === 'unavailable' && error.code !== 'maintenance' ? 'warn' : 'debug',
  };
}

/** Reply to errors of Nest, and to those of Express, which Nest wraps. Express's own message would repeat the path. */
function frameworkReply(error: HttpException): ErrorReply {
  const status = error.getStatus();
  if (status === 404) return { status, code: 'route_not_found', message: 'Route not found', level: 'debug' };
  return {
    status,
    code: codeOfStatus(status) as ErrorCode,
    message: error.message,
    level: status >= 500 ? 'error' : 'debug',
  };
}
