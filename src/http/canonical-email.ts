import { ChangedText, MAXIMUM_EMAIL } from './request-fields.js';

/**
 * The canonical form of an address, in which it is stored, compared and counted: NFKC, lower case by Unicode's rules.
 * No other code makes it: PostgreSQL's lower case differs in some letters, and each difference would be a second
 * account, or a second count of a limit.
 *
 * A text that is too long for an address is returned unchanged: NFKC takes quadratic time for a run of combining marks,
 * four seconds for 40,000 of them.
 */
export function canonicalEmail(text: string): string {
  const address = text.trim();
  if (address.length > MAXIMUM_EMAIL) return address;
  // The lower case may have to be composed again.
  return address.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Converts an address to its canonical form before it is validated. */
export const CanonicalEmail = () => ChangedText(canonicalEmail);
