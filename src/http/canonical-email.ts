import { ChangedText } from './request-fields.js';

/**
 * The one form of an address in which it is stored, compared and counted: NFKC, lower case by Unicode's rules. Made
 * here and nowhere else: PostgreSQL's lower case differs in some letters, and each difference is a second account, or a
 * second count of a limit.
 */
export function canonicalEmail(text: string): string {
  // Lower case may need to be composed anew.
  return text.trim().normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Makes a string an address in its canonical form before it is validated. */
export const CanonicalEmail = () => ChangedText(canonicalEmail);
