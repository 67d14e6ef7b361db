/** For messages. */
export const UNSEEN_CHARACTERS = 'zero-width characters or characters that change the direction of text';
/** Characters that show nothing or change the order of what follows: soft hyphen, zero-width spaces, marks and overrides of direction. */
const UNSEEN = /[\u00AD\u115F\u1160\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0]/;
/** Joiners belong within emoji and within words of many scripts; between Latin letters, or at an end, they show nothing. */
const STRAY_JOINER = /(?<![^\0-\u024F])[\u200C\u200D]|[\u200C\u200D](?![^\0-\u024F\u200C\u200D])/;

/** Returns true if a text is what people see of it. Two names that look the same could otherwise be different ones. */
export function isWhatIsSeen(text: string): boolean {
  return !UNSEEN.test(text) && !STRAY_JOINER.test(text);
}
