const MAXIMUM_BYTES = 72;

/** The service's rules for a new password, in its words; the service decides. */
const RULES: readonly (readonly [name: string, holds: (password: string) => boolean])[] = [
  ['at least 8 characters', (password) => [...password].length >= 8],
  ['at least one uppercase letter', (password) => /\p{Lu}/u.test(password)],
  ['at least one lowercase letter', (password) => /\p{Ll}/u.test(password)],
  ['at least one number', (password) => /\p{Nd}/u.test(password)],
  ['at least one special character', (password) => /[^\p{L}\p{N}]/u.test(password)],
  [
    `at most ${MAXIMUM_BYTES} bytes`,
    (password) => new TextEncoder().encode(password).length <= MAXIMUM_BYTES,
  ],
];

export interface CheckedRule {
  readonly name: string;
  readonly holds: boolean;
}

export const checkPassword = (password: string): readonly CheckedRule[] =>
  RULES.map(([name, holds]) => ({ name, holds: holds(password) }));
