import type { OpenAPIObject } from '@nestjs/swagger';
import type { RouteScope } from '../access/scopes.js';

/** A JSON Schema, as the API's document has them. */
export type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** The parts of an operation of the document that a tool uses. */
export interface ApiOperation {
  readonly method: string;
  readonly path: string;
  readonly scope: RouteScope;
  readonly parameters: readonly Parameter[];
  /** The properties of the JSON body, each with whether it must be given. */
  readonly fields: ReadonlyMap<string, { readonly schema: Schema; readonly required: boolean }>;
  readonly takesBody: boolean;
  readonly answer: Schema;
  /** The result is a list that is read page by page. */
  readonly isList: boolean;
}

type Content = Readonly<Record<string, { readonly schema: Schema } | undefined>>;

/** An operation as it stands in the document: Nest's type leaves out what the document's builder adds. */
interface DocumentedOperation {
  readonly parameters?: readonly Schema[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-scope': RouteScope;
}

const METHODS = ['get', 'post'] as const;

/** The operations of the API's document, by their ids, and the classes to which they refer. */
export class ApiOperations {
  private readonly found = new Map<string, ApiOperation>();

  constructor(private readonly document: OpenAPIObject) {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const method of METHODS) {
        const operation = item[method];
        if (operation?.operationId) this.found.set(operation.operationId, this.read(method, path, operation));
      }
    }
  }

  /** @throws an error if there is none: a tool names an operation that was renamed */
  of(id: string): ApiOperation {
    const operation = this.found.get(id);
    if (!operation)
      throw new Error(`A tool uses the operation ${id}, which the OpenAPI document does not have`);
    return operation;
  }

  /** A class of the document by its name. */
  reference(name: string): Schema {
    if (!this.document.components?.schemas?.[name])
      throw new Error(`The OpenAPI document has no schema ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema with all to which it refers, in the form that stands alone. Examples are left out: they would be most of it. */
  complete(schema: Schema): Schema {
    const names = new Set<string>();
    const own = standing(schema, names) as Schema;
    const definitions: Record<string, unknown> = {};
    // A set that grows while it is walked is walked to its end.
    for (const name of names) definitions[name] = standing(this.document.components!.schemas![name], names);
    return names.size === 0 ? own : { ...own, $defs: definitions };
  }

  private read(method: string, path: string, operation: object): ApiOperation {
    const given = operation as DocumentedOperation;
    const parameters = (given.parameters ?? []).map(
      (parameter) => this.resolved(parameter) as unknown as Parameter,
    );
    const body = given.requestBody?.content['application/json']?.schema;
    const [, success] = Object.entries(given.responses).find(([status]) => status.startsWith('2')) ?? [];
    return {
      method: method.toUpperCase(),
      path,
      scope: given['x-scope'],
      parameters,
      fields: new Map(body ? this.fieldsOf(body) : []),
      takesBody: body !== undefined,
      answer: success?.content?.['application/json']?.schema ?? {},
      isList: parameters.some(({ name }) => name === 'before'),
    };
  }

  private fieldsOf(schema: Schema): [string, { readonly schema: Schema; readonly required: boolean }][] {
    const {
      properties = {},
      required = [],
      allOf = [],
    } = this.resolved(schema) as {
      readonly properties?: Readonly<Record<string, Schema>>;
      readonly required?: readonly string[];
      readonly allOf?: readonly Schema[];
    };
    return [
      ...allOf.flatMap((part) => this.fieldsOf(part)),
      ...Object.entries(properties).map(([name, field]): [string, { schema: Schema; required: boolean }] => [
        name,
        { schema: field, required: required.includes(name) },
      ]),
    ];
  }

  /** The target of a reference, with the properties next to it. */
  private resolved({ $ref, ...beside }: Schema): Schema {
    if (typeof $ref !== 'string') return beside;
    const [, , kind, name] = $ref.split('/');
    const components = this.document.components as unknown as Record<string, Record<string, Schema>>;
    return { ...this.resolved(components[kind!]![name!]!), ...beside };
  }
}

/** The schema with references to `$defs`, whose names are added to the set. */
function standing(part: unknown, names: Set<string>): unknown {
  if (Array.isArray(part)) return part.map((each) => standing(each, names));
  if (typeof part !== 'object' || part === null) return part;
  const entries = Object.entries(part).filter(([key, value]) => !isExample(key, value));
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (key !== '$ref' || typeof value !== 'string') return [key, standing(value, names)];
      const name = value.replace('#/components/schemas/', '');
      names.add(name);
      return [key, `#/$defs/${name}`];
    }),
  );
}

/** False for a property of that name, whose value is a schema. */
function isExample(key: string, value: unknown): boolean {
  if (key === 'examples') return Array.isArray(value);
  return key === 'example' && !(typeof value === 'object' && value !== null && 'type' in value);
}
