/** For messages. */
export const UNSEEN_CHARACTERS = 'zero-width characters or characters that change the direction of text';
/**
 * Characters that show nothing or change the order of what follows, as Unicode lists them: soft hyphen, zero-width spaces, marks and
 * overrides of direction, fillers; and marks of annotations. Those that have a use within words and emoji are below.
 */
const UNSEEN = /(?!\u200C|\u200D|\p{VS}|[\u{E0020}-\u{E007F}])\p{DI}|[\uFFF9-\uFFFB]/u;
/** Joiners belong within emoji and within words of many scripts; between Latin letters, or at an end, they show nothing. */
const STRAY_JOINER = /(?<![^\0-\u024F])[\u200C\u200D]|[\u200C\u200D](?![^\0-\u024F\u200C\u200D])/u;
/** Variation selectors choose the form of an emoji, such as that of a digit in a box, or of a Chinese character; a Latin letter has one form. */
const STRAY_SELECTOR = /(?<![^\0-\u024F]|[\d#*©®])\p{VS}|\p{VS}{2}/u;
/** Tags spell the region of a flag behind the black one; elsewhere they are a text that only programs read. */
const STRAY_TAG = /(?<![\u{1F3F4}\u{E0020}-\u{E007F}])[\u{E0020}-\u{E007F}]/u;

const NOT_SEEN = [UNSEEN, STRAY_JOINER, STRAY_SELECTOR, STRAY_TAG];

/** Returns true if a text is what people see of it. Two names that look the same could otherwise be different ones. */
export function isWhatIsSeen(text: string): boolean {
  return !NOT_SEEN.some((pattern) => pattern.test(text));
}

/** The text as people see it: without the characters for which {@link isWhatIsSeen} returns false. */
export function whatIsSeen(text: string): string {
  let seen = text;
  // Patterns apply one after the other: the removal of one character can leave a stray next one.
  for (let found; (found = NOT_SEEN.find((pattern) => pattern.test(seen)));) seen = seen.replace(found, '');
  return seen;
}
