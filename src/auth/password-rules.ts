import { containsEmailName, hasOnlyServiceWords, isCommonPassword } from './common-passwords.js';

/** bcrypt ignores further bytes: two passwords that differ only in those would open the same account. */
const MAXIMUM_PASSWORD_BYTES = 72;

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

/** Names of the rules of composition that a new password violates. */
export function brokenPasswordRules(password: string): string[] {
  return rules.filter(([, holds]) => !holds(password)).map(([name]) => name);
}

/**
 * Lists all problems of a new password in one message.
 *
 * @param email of the account, in its canonical form
 * @returns null if the password is allowed
 */
export function passwordRefusal(password: string, email: string): string | null {
  const broken = brokenPasswordRules(password);
  const complaints = [
    ...(broken.length > 0 ? [`must have ${broken.join(', ')}`] : []),
    // A password that is too long is not compared with words: NFKC of 1 MiB can take minutes.
    ...(fitsBcrypt(password) ? wordComplaints(password, email) : []),
  ];
  return complaints.length > 0 ? `The password ${complaints.join('; it ')}` : null;
}

function wordComplaints(password: string, email: string): string[] {
  return [
    ...(isCommonPassword(password)
      ? ['is one of the most common ones, ignoring case and the digits and symbols at its end']
      : []),
    ...(hasOnlyServiceWords(password) ? ['must contain words other than those of this service'] : []),
    ...(containsEmailName(password, email)
      ? ['must not contain the name in the email address (the part before the @)']
      : []),
  ];
}
