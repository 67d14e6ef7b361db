import { ChangedText, MAXIMUM_EMAIL } from './request-fields.js';

/**
 * The one form of an address in which it is stored, compared and counted: NFKC, lower case by Unicode's rules. Made
 * here and nowhere else: PostgreSQL's lower case differs in some letters, and each difference is a second account, or a
 * second count of a limit.
 *
 * A text that is too long for an address is returned as it is: NFKC takes quadratic time for a run of combining marks, four
 * seconds for 40,000 of them.
 */
export function canonicalEmail(text: string): string {
  const address = text.trim();
  if (address.length > MAXIMUM_EMAIL) return address;
  // Lower case may need to be composed anew.
  return address.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Makes a string an address in its canonical form before it is validated. */
export const CanonicalEmail = () => ChangedText(canonicalEmail);
