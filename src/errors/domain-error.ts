import type { ErrorCode, RuleCode } from './error-codes.js';

/** Kinds of expected failures, without statuses: only `http/error-table.ts` maps them. */
export type ErrorKind =
  | 'not_found'
  | 'invalid'
  | 'refused'
  | 'conflict'
  | 'precondition_failed'
  | 'forbidden'
  | 'unauthenticated'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_gateway';

/** An expected failure. Its message is a text for the caller and never contains a secret. */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: ErrorCode,
    message: string,
  ) {
    super(message);
  }
}

export class NotFoundError extends DomainError {
  /** @param what the resource's name, capitalised as in the message: `Agent`, `API key` */
  constructor(what: string) {
    super('not_found', 'not_found', `${what} not found`);
  }
}

/** The resource's present state forbids the action (`Can only scale running deployments`). */
export class RefusedError extends DomainError {
  constructor(code: ErrorCode, message: string) {
    super('refused', code, message);
  }
}

/** A rule that a value of the request breaks. */
export interface BrokenRule {
  /** Path of the value: `logs.3.level`, the name of a parameter or a header. Null: the rule is about no single one. */
  readonly field: string | null;
  readonly code: RuleCode;
  readonly message: string;
}

/** The input is well-formed but breaks rules. */
export class InvalidError extends DomainError {
  constructor(
    readonly rules: readonly BrokenRule[],
    code: ErrorCode = 'validation_failed',
  ) {
    super('invalid', code, rules.map(({ message }) => message).join('; '));
  }

  /** The error for a single rule. */
  static of(field: BrokenRule['field'], code: RuleCode, message: string): InvalidError {
    return new InvalidError([{ field, code, message }]);
  }
}

/** The present state forbids the action. `conflict` is too general a code: programs could not tell what to do next. */
export class ConflictError extends DomainError {
  constructor(code: Exclude<ErrorCode, 'conflict'>, message: string) {
    super('conflict', code, message);
  }
}

/** The resource is no longer as the caller has read it. */
export class PreconditionFailedError extends DomainError {
  constructor(message: string) {
    super('precondition_failed', 'precondition_failed', message);
  }
}

export class ForbiddenError extends DomainError {
  constructor(code: ErrorCode, message: string) {
    super('forbidden', code, message);
  }
}

export class UnauthenticatedError extends DomainError {
  constructor(message = 'Invalid or expired token', code: ErrorCode = 'invalid_token') {
    super('unauthenticated', code, message);
  }
}

export class RateLimitedError extends DomainError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
    code: ErrorCode = 'rate_limited',
  ) {
    super('rate_limited', code, message);
  }
}

/** A dependency of the service, such as the database, is unavailable; the same request may succeed later. */
export class UnavailableError extends DomainError {
  /** @param retryAfterSeconds absent: each caller gets another time, see `RetryLine` */
  constructor(
    message = 'The service is temporarily unavailable',
    readonly retryAfterSeconds?: number,
    code: ErrorCode = 'service_unavailable',
  ) {
    super('unavailable', code, message);
  }
}
