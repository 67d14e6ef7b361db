import type { ConflictError } from '../../errors/domain-error.js';
import type { KeyedRequest } from './keyed-request.js';

/**
 * Encrypts kept replies, which may hold an API key or tokens. It is the injection token of `KeptReplyCipher`, so that idempotency
 * stands on no keys in the database.
 */
export abstract class ReplyCipher {
  /** @throws UnavailableError where this instance lacks the key in use */
  abstract seal(
    replies: readonly { readonly request: KeyedRequest; readonly reply: unknown }[],
  ): Promise<Buffer[]>;

  /** @returns an error for a reply that was sealed under a key which the service no longer has */
  abstract open<Reply>(request: KeyedRequest, sealed: Buffer): Reply | ConflictError;
}
