/**
 * A JSON document that PostgreSQL has built. It is sent as it is: parsing it, mapping it and writing it again took most of
 * the processor time of a list.
 */
export class JsonText<Shape> {
  /** The compiler alone uses it: documents of different shapes are different types. */
  declare protected readonly shape: Shape;

  constructor(readonly text: string) {}

  /** The JSON of a value without any {@link JsonText} in it. */
  static of<Shape>(value: Shape) {
    return new JsonText<Shape>(JSON.stringify(value));
  }

  static object<Shape extends object>(properties: { [Name in keyof Shape]-?: JsonValue<Shape[Name]> }) {
    const parts = Object.entries(properties).map(
      ([name, value]) => `${JSON.stringify(name)}:${jsonTextOf(value)}`,
    );
    return new JsonText<Shape>(`{${parts.join(',')}}`);
  }

  /** This object with the properties of another one, which it does not have yet. Neither is empty. */
  with<More>(more: JsonText<More>) {
    return new JsonText<Shape & More>(`${this.text.slice(0, -1)},${more.text.slice(1)}`);
  }
}

/** A value, its JSON, or the JSON of each of its items. */
type JsonValue<Value> =
  Value | JsonText<Value> | (Value extends readonly (infer Item)[] ? readonly JsonText<Item>[] : never);

/** The JSON of a value that holds a {@link JsonText} nowhere, is one, or is a list of them. */
export function jsonTextOf(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value) && value[0] instanceof JsonText)
    return `[${(value as JsonText<unknown>[]).map(({ text }) => text).join(',')}]`;
  return JSON.stringify(value);
}
