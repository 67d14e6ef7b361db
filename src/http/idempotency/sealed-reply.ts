import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** SHA-256 of caller and key, 32 bytes; the key can't be derived from it. */
export function keyHashOf(caller: string, idempotencyKey: string): Buffer {
  return createHash('sha256').update(`${caller}\n${idempotencyKey}`).digest();
}

/** Encryption key, derived from the `Idempotency-Key`. The table holds only a hash of that, so a reader of the table can't derive it. */
function sealingKey(caller: string, idempotencyKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', idempotencyKey, caller, 'idempotency reply', 32));
}

/** Encrypts a reply with AES-256-GCM, because it may hold an API key or tokens. Layout: nonce, tag, ciphertext. */
export function sealReply(caller: string, idempotencyKey: string, reply: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(caller, idempotencyKey), nonce);
  const ciphertext = Buffer.concat([cipher.update(reply, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws if the reply was encrypted under another key, or was changed */
export function openReply(caller: string, idempotencyKey: string, sealed: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(caller, idempotencyKey), nonce);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return (
    decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  );
}
