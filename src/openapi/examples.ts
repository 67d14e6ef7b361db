import type { OpenAPIObject } from '@nestjs/swagger';
import type { Components } from '../http/openapi/operation.js';

/** The part of a schema that this file reads; may be a reference. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  minItems?: number;
  example?: unknown;
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

/** Examples for properties without one of their own. */
const EXAMPLES_OF_FORMATS: Readonly<Record<string, unknown>> = {
  uuid: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
  'date-time': '2026-01-31T09:30:00.000Z',
};

/**
 * Gives every model one example as a whole, built from the examples of its properties, and removes those: a reader sees
 * one realistic request or reply, and no value is in the document twice. So a model that inherits from another one adds
 * only its own part, and a list of models that are requests or replies themselves is empty in others.
 *
 * @throws Error naming a required property without an example
 */
export function addExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const reader = new ExampleReader(schemas, modelsOf(document));
  const examples = Object.keys(schemas)
    .map((name) => ({ name, schema: ownPartOf(schemas[name]!) }))
    .filter(({ schema }) => schema.properties)
    .map(({ name, schema }) => ({ schema, example: reader.exampleOf(schema, name) }));
  Object.values(schemas).forEach(dropExamples);
  for (const { schema, example } of examples) schema.examples = [example];
}

/** The own part of a model that inherits: its parent is a reference. */
function ownPartOf(schema: Schema): Schema {
  return schema.allOf?.at(-1) ?? schema;
}

/**
 * Names of the models that are the content of a request, a response or an item of a list, or one of several of these.
 */
function modelsOf(document: OpenAPIObject): Set<string> {
  const components: Components = document.components ?? {};
  const operations = [document.paths, components.pathItems ?? {}].flatMap((paths) =>
    Object.values(paths).flatMap((path) => [path.get, path.post, path.put, path.patch, path.delete]),
  );
  const bodies = [
    ...operations.flatMap((operation) => [
      operation?.requestBody,
      ...Object.values(operation?.responses ?? {}),
    ]),
    ...Object.values(components.responses ?? {}),
  ] as (Content | undefined)[];
  const contents = bodies.flatMap((body) => Object.values(body?.content ?? {}));
  return new Set(contents.flatMap(({ schema }) => modelsIn(schema)));
}

function modelsIn(schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.$ref) return [nameIn(schema.$ref)];
  return [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(modelsIn);
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function dropExamples(schema: Schema): void {
  delete schema.example;
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.allOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  inner.forEach(dropExamples);
}

class ExampleReader {
  constructor(
    private readonly schemas: Readonly<Record<string, Schema>>,
    /** Names of the models that are requests or replies themselves. */
    private readonly ownExamples: ReadonlySet<string>,
  ) {}

  /** @param place path of the schema, for an error message */
  exampleOf(schema: Schema, place: string): unknown {
    if (schema.example !== undefined) return schema.example;
    if (isNullable(schema)) return null;
    // a model that inherits: the properties of its base, and its own
    if (schema.allOf && schema.allOf.length > 1) {
      return Object.assign({}, ...schema.allOf.map((part) => this.exampleOf(part, place))) as object;
    }
    const [referred] = schema.$ref
      ? [this.schemas[nameIn(schema.$ref)]]
      : (schema.allOf ?? schema.anyOf ?? schema.oneOf ?? []);
    if (referred) return this.exampleOf(referred, place);
    if (schema.enum) return schema.enum[0];
    if (schema.default !== undefined) return schema.default;
    if (schema.format && schema.format in EXAMPLES_OF_FORMATS) return EXAMPLES_OF_FORMATS[schema.format];
    return this.exampleOfType(schema, place);
  }

  private exampleOfType(schema: Schema, place: string): unknown {
    const { type, minimum } = schema;
    if (type === 'object') return this.objectExample(schema, place);
    if (type === 'array')
      return this.isShownElsewhere(schema) ? [] : [this.exampleOf(schema.items ?? {}, place)];
    if (type === 'boolean') return true;
    if (minimum !== undefined) return Math.max(minimum, 1);
    throw new Error(`${place} has no example`);
  }

  private isShownElsewhere({ items, minItems = 0 }: Schema): boolean {
    return minItems === 0 && this.ownExamples.has(nameIn(items?.$ref ?? ''));
  }

  /** An object of the required properties, and of others with an example of their own. */
  private objectExample(schema: Schema, place: string): object {
    const properties = Object.entries(schema.properties ?? {}).filter(
      ([name, { example }]) => schema.required?.includes(name) || example !== undefined,
    );
    return Object.fromEntries(
      properties.map(([name, inner]) => [name, this.exampleOf(inner, `${place}.${name}`)]),
    );
  }
}

function isNullable({ type, enum: values }: Schema): boolean {
  return (Array.isArray(type) && type.includes('null')) || (values?.includes(null) ?? false);
}
