import type { Components } from '../http/openapi/operation.js';

type Schemas = NonNullable<Components['schemas']>;
type Schema = Exclude<Schemas[string], { $ref: string }>;

/** Minimum number of common properties; fewer may be equal by chance. */
const WORTH_INHERITING = 7;

/**
 * Writes a model that contains all properties of another one as that model and its own part. The classes declare it
 * with `extends`, but Nest's document repeats every property.
 */
export function inheritModels(schemas: Schemas): void {
  const written = Object.entries(schemas) as [string, Schema][];
  for (const [name, schema] of written) {
    const base = written.find(([other, candidate]) => other !== name && extendsModel(schema, candidate));
    if (base) schemas[name] = inheriting(schema, ...base);
  }
}

function extendsModel(schema: Schema, base: Schema): boolean {
  const inherited = Object.entries(base.properties ?? {});
  return (
    inherited.length >= WORTH_INHERITING &&
    inherited.every(
      ([name, property]) => JSON.stringify(schema.properties?.[name]) === JSON.stringify(property),
    ) &&
    (base.required ?? []).every((name) => schema.required?.includes(name))
  );
}

function inheriting(schema: Schema, baseName: string, base: Schema): Schema {
  const { type, properties = {}, required = [], ...rest } = schema;
  const own = Object.entries(properties).filter(([name]) => !(name in (base.properties ?? {})));
  return {
    allOf: [
      { $ref: `#/components/schemas/${baseName}` },
      {
        type,
        properties: Object.fromEntries(own),
        required: required.filter((name) => !base.required?.includes(name)),
      },
    ],
    ...rest,
  };
}
