import { dictionary } from '@zxcvbn-ts/language-common';

/** Minimum length of a name that passwords must not contain; shorter names are part of too many words. */
const MINIMUM_NAME_LENGTH = 3;

/** Words of this service, which an attacker tries first. `docs/security-asvs.tsv` lists them. */
const SERVICE_WORDS = /^(?:agents?|admin|control|dashboard|deployment|operator|plane|service|svc|webhook)+$/;

let commonest: ReadonlySet<string> | undefined;

/** The password in lower case, without digits and signs at the end: `Password1!` becomes `password`. */
function stem(password: string): string {
  return /^.*\p{L}/su.exec(password.toLowerCase())?.[0] ?? '';
}

/** Returns true if a password is one of the 49,000 commonest, apart from case and the digits and signs at its end. */
export function isCommonPassword(password: string): boolean {
  // Built for the first new password, so that the start of the service does not wait for it.
  commonest ??= new Set(dictionary['passwords-common'].map((known) => stem(String(known))));
  return commonest.has(stem(password));
}

/** Returns true if all letters of a password, ignoring case, form words of this service: `Control-Plane-1`. */
export function hasOnlyServiceWords(password: string): boolean {
  return SERVICE_WORDS.test(password.toLowerCase().replace(/[^\p{L}]/gu, ''));
}

/**
 * Returns true if a password contains the name in the address, the part before the `@`. Names of fewer than three
 * characters don't count.
 *
 * @param email in its canonical form
 */
export function containsEmailName(password: string, email: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@'));
  return name.length >= MINIMUM_NAME_LENGTH && password.normalize('NFKC').toLowerCase().includes(name);
}
