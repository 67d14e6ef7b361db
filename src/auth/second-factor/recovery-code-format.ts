import { hash, randomBytes } from 'node:crypto';

/** Letters and digits that are not taken for each other (Crockford's base32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 24 characters of 5 bits each: more than the 112 bits from which a plain hash is enough. */
const GROUPS = 4;
const GROUP_LENGTH = 6;
const CODES = 10;

/** A new set of codes. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, newCode);
}

/** The hash that is stored. Case, hyphens and white space do not matter. */
export function recoveryCodeHash(code: string): Buffer {
  return hash('sha256', code.toLowerCase().replaceAll(/[\s-]/g, ''), 'buffer');
}

function newCode(): string {
  const letters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  ).join('-');
}
