import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { principalOf } from '../../access/caller.js';
import { requestOf, responseOf } from '../../access/http-context.js';
import { actorOf } from '../../access/principal.js';
import { InvalidError } from '../../errors/domain-error.js';
import { canonicalEmail } from '../canonical-email.js';
import { keyHashOf } from './kept-reply.js';

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** A request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly key: string;
  /** The caller. The same key of two callers counts as two keys. */
  readonly caller: string;
  /** SHA-256 of the caller and the key. */
  readonly keyHash: Buffer;
  /** SHA-256 of method, path and body. */
  readonly fingerprint: Buffer;
  /** Sets `Idempotency-Replayed`: the reply is that of the first request. */
  readonly markReplayed: () => void;
}

/** @throws InvalidError if the header is not a valid key */
function keyedRequestOf(context: ExecutionContext): KeyedRequest | undefined {
  const request = requestOf(context);
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !PRINTABLE.test(key)) {
    throw new InvalidError(['Idempotency-Key must be 1 to 255 printable characters']);
  }
  const principal = principalOf(context);
  const caller = principal ? actorOf(principal) : anonymousCaller(request);
  return {
    key,
    caller,
    keyHash: keyHashOf(caller, key),
    fingerprint: fingerprintOf(request),
    markReplayed: () => responseOf(context).setHeader('Idempotency-Replayed', 'true'),
  };
}

/** A caller of an open route. People behind one address are told apart by the email that their bodies name. */
function anonymousCaller({ ip, body }: Request): string {
  const { email } = (body ?? {}) as { email?: unknown };
  return `address:${ip} email:${typeof email === 'string' ? canonicalEmail(email) : ''}`;
}

/** The request's `Idempotency-Key` with its hashes; undefined without one. */
export const Keyed = createParamDecorator((_: unknown, context: ExecutionContext) => keyedRequestOf(context));

/** The refusal of a key that was used for another request. */
export function keyWasUsed(): InvalidError {
  return new InvalidError(['Idempotency-Key was already used for another request']);
}

/** SHA-256 of method, path and body. */
export function fingerprintOf(request: Request): Buffer {
  const body = Buffer.isBuffer(request.body) ? request.body : JSON.stringify(request.body ?? {});
  return createHash('sha256').update(`${request.method}\n${request.path}\n`).update(body).digest();
}
