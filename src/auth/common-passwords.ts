import { dictionary } from '@zxcvbn-ts/language-common';

/** Shorter names are part of too many words. */
const MINIMUM_NAME_LENGTH = 3;

/** Words that an attacker of this service tries first. `docs/security.md` lists them. */
const SERVICE_WORDS = /^(?:agents?|admin|control|dashboard|deployment|operator|plane|service|svc|webhook)+$/;

let commonest: ReadonlySet<string> | undefined;

/** Without case, and without digits and signs at the end: `Password1!` is `password`. */
function stem(password: string): string {
  return /^.*\p{L}/su.exec(password.toLowerCase())?.[0] ?? '';
}

/** Returns true if a password is one of the 49,000 commonest, but for its case and the digits and signs at its end. */
export function isCommonPassword(password: string): boolean {
  // Made when the first password is chosen, which a start of the service should not wait for.
  commonest ??= new Set(dictionary['passwords-common'].map((known) => stem(String(known))));
  return commonest.has(stem(password));
}

/** Returns true if all letters of a password, without their case, are words of this service: `Control-Plane-1`. */
export function hasOnlyServiceWords(password: string): boolean {
  return SERVICE_WORDS.test(password.toLowerCase().replace(/[^\p{L}]/gu, ''));
}

/**
 * Returns true if a password contains the name in the address, the part before the `@`; names of fewer than three characters
 * don't count.
 *
 * @param email in its canonical form
 */
export function containsEmailName(password: string, email: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@'));
  return name.length >= MINIMUM_NAME_LENGTH && password.normalize('NFKC').toLowerCase().includes(name);
}
