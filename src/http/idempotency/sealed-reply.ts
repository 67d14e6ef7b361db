import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** 32 bytes that name the caller's key without telling it. */
export function keyHashOf(caller: string, idempotencyKey: string): Buffer {
  return createHash('sha256').update(`${caller}\n${idempotencyKey}`).digest();
}

/** The table holds only a hash of the key, so who reads the table can't derive this. */
function sealingKey(caller: string, idempotencyKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', idempotencyKey, caller, 'idempotency reply', 32));
}

/** AES-256-GCM: a kept reply may hold an API key or tokens. Layout: nonce, tag, ciphertext. */
export function sealReply(caller: string, idempotencyKey: string, reply: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(caller, idempotencyKey), nonce);
  const ciphertext = Buffer.concat([cipher.update(reply, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws when the reply was sealed under another key or changed since */
export function openReply(caller: string, idempotencyKey: string, sealed: Buffer): string {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(caller, idempotencyKey), nonce);
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return (
    decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  );
}
