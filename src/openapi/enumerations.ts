import type { Components } from '../http/openapi/operation.js';

/** The part of a schema that this file reads. */
interface Schema {
  $ref?: string;
  type?: unknown;
  enum?: unknown[];
  allOf?: Schema[];
  anyOf?: Schema[];
  description?: string;
  nullable?: boolean;
  properties?: Record<string, Schema>;
}

/**
 * Refers to enumerations as the document refers to all else. Nest wraps the reference in an `allOf` of one, of which some generators
 * make a type of its own; where the property may be null it leaves the null out. And it takes the description of whichever property
 * comes first for that of the enumeration.
 */
export function referToEnumerations(schemas: NonNullable<Components['schemas']>): void {
  const all = schemas as Record<string, Schema>;
  for (const schema of Object.values(all)) {
    if (schema.enum) delete schema.description;
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      schema.properties![name] = referring(property, all);
  }
}

function referring({ allOf, nullable, type, ...rest }: Schema, schemas: Record<string, Schema>): Schema {
  const [only, ...others] = allOf ?? [];
  const isEnumeration = only?.$ref !== undefined && others.length === 0 && schemas[nameIn(only.$ref)]?.enum;
  if (!isEnumeration)
    return {
      ...(type !== undefined && { type }),
      ...(nullable !== undefined && { nullable }),
      ...rest,
      ...(allOf && { allOf }),
    };
  const isNullable = nullable === true || (Array.isArray(type) && type.includes('null'));
  return { ...rest, ...(isNullable ? { anyOf: [only, { type: 'null' }] } : only) };
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
