import { hash } from 'node:crypto';
import { SecretCipher } from '../../secrets/secret-cipher.js';

/** 32 bytes that name the caller's key without telling it. */
export function keyHashOf(caller: string, idempotencyKey: string): Buffer {
  return hash('sha256', `${caller}\n${idempotencyKey}`, 'buffer');
}

/**
 * The cipher for the reply that is kept with a key: it may hold an API key or tokens. The table has only a hash of the
 * key, so whoever reads the table can't derive this.
 */
export function replyCipher(caller: string, idempotencyKey: string): SecretCipher {
  return new SecretCipher(idempotencyKey, 'idempotency reply', caller);
}
