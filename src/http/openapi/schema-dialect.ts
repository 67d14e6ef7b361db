type Json = unknown;

/**
 * Nest's decorators write the schema dialect of OpenAPI 3.0; 3.1 is plain JSON Schema, where "may be null" is a
 * type and not a keyword of its own. Returns a converted copy.
 */
export function toOpenApi31<Document>(document: Document): Document {
  return convert(document) as Document;
}

function convert(value: Json): Json {
  if (Array.isArray(value)) return value.map(convert);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, convert(inner)] as const);
  const { nullable, ...schema } = Object.fromEntries(entries);
  if (nullable !== true) return nullable === undefined ? schema : { ...schema, nullable };
  if (typeof schema.type === 'string') {
    const values = Array.isArray(schema.enum) ? { enum: [...(schema.enum as unknown[]), null] } : {};
    return { ...schema, ...values, type: [schema.type, 'null'] };
  }
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), oneOf: [rest, { type: 'null' }] };
}
