import { randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const GENERATED_BYTES = 32;
/** Bounds of the Standard Webhooks specification. */
const MINIMUM_BYTES = 24;
const MAXIMUM_BYTES = 64;

/**
 * Generates a secret: `whsec_` and the base64 of random bytes, as the Standard Webhooks specification writes a
 * symmetric key.
 */
export function generateSecret(): string {
  return PREFIX + randomBytes(GENERATED_BYTES).toString('base64');
}

/** Returns true for `whsec_` and the base64, with its padding, of 24 to 64 bytes. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters, so the text is valid only if encoding restores it.
  return (
    bytes.toString('base64') === encoded && bytes.length >= MINIMUM_BYTES && bytes.length <= MAXIMUM_BYTES
  );
}
