/** bcrypt reads no further; two passwords that differ only behind it would open the same account. */
export const MAXIMUM_PASSWORD_BYTES = 72;

const rules: readonly (readonly [name: string, holds: (password: string) => boolean])[] = [
  ['at least 8 characters', (password) => [...password].length >= 8],
  [`at most ${MAXIMUM_PASSWORD_BYTES} bytes`, fitsBcrypt],
  ['at least one uppercase letter', (password) => /\p{Lu}/u.test(password)],
  ['at least one lowercase letter', (password) => /\p{Ll}/u.test(password)],
  ['at least one number', (password) => /\p{Nd}/u.test(password)],
  ['at least one special character', (password) => /[^\p{L}\p{N}]/u.test(password)],
];

export function fitsBcrypt(password: string): boolean {
  return Buffer.byteLength(password) <= MAXIMUM_PASSWORD_BYTES;
}

/** Every rule that a new password breaks, in words; none: it may be used. */
export function brokenPasswordRules(password: string): string[] {
  return rules.filter(([, holds]) => !holds(password)).map(([name]) => name);
}
