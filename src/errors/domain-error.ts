/** Kinds of expected failures, without HTTP: only `http/error-table.ts` maps them to statuses. */
export type ErrorKind =
  | 'not_found'
  | 'invalid'
  | 'refused'
  | 'conflict'
  | 'forbidden'
  | 'unauthenticated'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_gateway';

/** An expected failure. Its message is written for the caller and never holds a secret. */
export class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    message: string,
  ) {
    super(message);
  }
}

export class NotFoundError extends DomainError {
  /** @param what the resource's name, capitalised as in the message: `Agent`, `API key` */
  constructor(what: string) {
    super('not_found', `${what} not found`);
  }
}

/** The resource's present state forbids the action (`Can only scale running deployments`). */
export class RefusedError extends DomainError {
  constructor(message: string) {
    super('refused', message);
  }
}

/** The input is well-formed but breaks a rule; one message for each rule. */
export class InvalidError extends DomainError {
  constructor(readonly messages: readonly string[]) {
    super('invalid', messages.join('; '));
  }
}

export class ConflictError extends DomainError {
  constructor(message: string) {
    super('conflict', message);
  }
}

export class ForbiddenError extends DomainError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

export class UnauthenticatedError extends DomainError {
  constructor(message = 'Invalid or expired token') {
    super('unauthenticated', message);
  }
}

export class RateLimitedError extends DomainError {
  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super('rate_limited', message);
  }
}

/** A dependency of the service, such as the database, is unavailable; the same request may succeed later. */
export class UnavailableError extends DomainError {
  /** @param retryAfterSeconds absent: everybody is told another moment, see `RetryLine` */
  constructor(
    message = 'The service is temporarily unavailable',
    readonly retryAfterSeconds?: number,
  ) {
    super('unavailable', message);
  }
}

/** Too many requests are under way; one more would make all of them slower. */
export class TooManyConcurrentRequestsError extends UnavailableError {
  /** @param isGeneral true: the service has too many requests; false: only the caller's address has */
  constructor(
    readonly isGeneral: boolean,
    retryAfterSeconds?: number,
  ) {
    super(
      isGeneral
        ? 'The service has too much to do at the moment'
        : 'Too many requests of this address are under way',
      retryAfterSeconds,
    );
  }
}
