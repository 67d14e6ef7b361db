import { hash } from 'node:crypto';
import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { principalOf } from '../../access/caller.js';
import { requestOf, responseOf } from '../../access/http-context.js';
import { identityOf } from '../../access/principal.js';
import { InvalidError } from '../../errors/domain-error.js';
import { canonicalEmail } from '../request-fields.js';
import { ApiImpliedErrors } from '../openapi/api-errors.js';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly key: string;
  /** The caller: a person is the same one after the rotation of an API key. The same key of two callers counts as two keys. */
  readonly caller: string;
  /** SHA-256 of the caller and the key. */
  readonly keyHash: Buffer;
  /** SHA-256 of method, path and body. */
  readonly fingerprint: Buffer;
  readonly request: Request;
  /** Sets `Idempotency-Replayed`, because the reply is that of the first request. */
  readonly markReplayed: () => void;
}

/** @throws InvalidError if the header is not a valid key */
function keyedRequestOf(context: ExecutionContext): KeyedRequest | undefined {
  const request = requestOf(context);
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw InvalidError.of(
      'Idempotency-Key',
      'wrong_format',
      'Idempotency-Key must be 1 to 255 printable characters',
    );
  }
  const principal = principalOf(context);
  const caller = principal ? identityOf(principal) : anonymousCaller(request);
  return {
    key,
    caller,
    keyHash: keyHashOf(caller, key),
    fingerprint: fingerprintOf(request),
    request,
    markReplayed: () => responseOf(context).setHeader('Idempotency-Replayed', 'true'),
  };
}

/** The caller of an open route. People behind one address are distinguished by the email in their bodies. */
function anonymousCaller({ ip, body }: Request): string {
  const { email } = (body ?? {}) as { email?: unknown };
  return `address:${ip} email:${typeof email === 'string' ? canonicalEmail(email) : ''}`;
}

const KeyedRequestOf = createParamDecorator((_: unknown, context: ExecutionContext) =>
  keyedRequestOf(context),
);

const KEPT =
  'Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with ' +
  'another body or on another route: a 422; while the first request is in progress: a 409.';

/**
 * The request's `Idempotency-Key` with its hashes, and undefined without one; the route's documentation has the header.
 *
 * @param promise the meaning of the key for a route that does not use `IdempotentRequests`
 */
export function Keyed(promise?: string): ParameterDecorator {
  const header = ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Stored for 24 hours per caller; not for a refused request. ${promise ?? KEPT}`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });
  const document = promise === undefined ? applyDecorators(header, ApiImpliedErrors(409)) : header;
  return (target, name, index) => {
    KeyedRequestOf()(target, name, index);
    document(target, name, Object.getOwnPropertyDescriptor(target, name!) as PropertyDescriptor);
  };
}

/** The refusal of a key that was used for another request. */
export function keyWasUsed(): InvalidError {
  return new InvalidError(
    [
      {
        field: 'Idempotency-Key',
        code: 'not_allowed',
        message: 'Idempotency-Key was already used for another request',
      },
    ],
    'idempotency_key_reused',
  );
}

/** SHA-256 of method, path and body. */
export function fingerprintOf({ method, path, body }: Request): Buffer {
  const content = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body ?? {}));
  return hash('sha256', Buffer.concat([Buffer.from(`${method}\n${path}\n`), content]), 'buffer');
}

/** 32 bytes that identify the caller's key without containing it. */
export function keyHashOf(caller: string, idempotencyKey: string): Buffer {
  return hash('sha256', `${caller}\n${idempotencyKey}`, 'buffer');
}
