import { cutText } from '../../http/storable-text.js';

/** Attributes by name, as JSON values. */
export type Attributes = Readonly<Record<string, unknown>>;

/** Maximum length of a name that is a value, such as that of a model, in characters. */
const MAXIMUM_NAME_LENGTH = 200;

/** The first of these attributes that is a text with content, cut to the length of a name. */
export function nameIn(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes[name];
    if (typeof value === 'string' && value !== '') return cutText(value, MAXIMUM_NAME_LENGTH);
  }
  return null;
}
