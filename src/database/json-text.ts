/**
 * A JSON object that PostgreSQL has written. It is sent as it is: parsing it, mapping it and writing it again took most of
 * the processor time of a list.
 */
export class JsonText<Shape> {
  /** The compiler alone uses it: documents of different shapes are different types. */
  declare protected readonly shape: Shape;

  /** @param members without the braces, so that more can be added to them */
  constructor(readonly members: string) {}

  /** The JSON of an object without any {@link JsonText} in it. */
  static of<Shape extends object>(value: Shape) {
    return new JsonText<Shape>(JSON.stringify(value).slice(1, -1));
  }

  static object<Shape extends object>(properties: { [Name in keyof Shape]-?: JsonValue<Shape[Name]> }) {
    const parts = Object.entries(properties).map(
      ([name, value]) => `${JSON.stringify(name)}:${jsonTextOf(value)}`,
    );
    return new JsonText<Shape>(parts.join(','));
  }

  /** For `JSON.stringify`. */
  toJSON(): unknown {
    return JSON.parse(`{${this.members}}`);
  }

  /** This object with the properties of another one, which it does not have yet. Neither is empty. */
  with<More>(more: JsonText<More>) {
    return new JsonText<Shape & More>(`${this.members},${more.members}`);
  }
}

/** A value, its JSON, or the JSON of each of its items. */
type JsonValue<Value> =
  Value | JsonText<Value> | (Value extends readonly (infer Item)[] ? readonly JsonText<Item>[] : never);

/** The JSON of a value that holds a {@link JsonText} nowhere, is one, or is a list of them. */
export function jsonTextOf(value: unknown): string {
  if (value instanceof JsonText) return `{${value.members}}`;
  if (Array.isArray(value) && value[0] instanceof JsonText) {
    const texts = (value as JsonText<unknown>[]).map(({ members }) => members);
    // Added to the joined text, the brackets would have all of it copied once more.
    texts[0] = `[{${texts[0]}`;
    texts.push(`${texts.pop()}}]`);
    return texts.join('},{');
  }
  return JSON.stringify(value);
}
