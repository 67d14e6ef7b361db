import type { TestApp } from './test-app.js';

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly additionalProperties?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With the names of its parameters: `/agents/{agent_id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of the JSON body, where it takes one. */
  readonly body?: Schema;
  /** Names of the schemes, any of which will do; none: the route is open. */
  readonly security: readonly string[];
  readonly responses: Readonly<Record<string, any>>;
}

/** What the service says of itself: suites that go through all of it cover new routes by themselves. */
export class ApiDescription {
  readonly operations: readonly Operation[];

  private constructor(readonly document: any) {
    this.operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        body: operation.requestBody?.content['application/json'].schema,
        security: (operation.security ?? []).flatMap((scheme: object) => Object.keys(scheme)),
        responses: operation.responses,
      })),
    );
  }

  static async of(app: Pick<TestApp, 'api'>): Promise<ApiDescription> {
    return new ApiDescription((await app.api.get('/openapi.json')).body);
  }

  operation(id: string): Operation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`No operation ${id}`);
    return found;
  }

  resolve(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const found = schema.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<any>((place, step) => place?.[step], this.document);
    if (!found) throw new Error(`${schema.$ref} leads nowhere`);
    return found as Schema;
  }

  /** A value that the schema allows: its examples, and of properties the required ones. */
  example(schema: Schema): unknown {
    const resolved = this.resolve(schema);
    if (resolved.example !== undefined) return resolved.example;
    if (resolved.enum) return resolved.enum[0];
    if (resolved.default !== undefined) return resolved.default;
    const first = resolved.oneOf?.[0] ?? resolved.anyOf?.[0];
    if (first) return this.example(first);
    if (resolved.allOf) return Object.assign({}, ...resolved.allOf.map((part) => this.example(part)));
    return this.exampleOfType(resolved);
  }

  private exampleOfType(schema: Schema): unknown {
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name) => [name, this.example(schema.properties?.[name] ?? {})]),
        );
      case 'array':
        return [];
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return exampleOfFormat(schema.format);
      default:
        return {};
    }
  }
}

function exampleOfFormat(format: string | undefined): string {
  switch (format) {
    case 'uuid':
      return '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
    case 'date-time':
      return '2030-01-01T00:00:00.000Z';
    case 'email':
      return 'nobody@example.com';
    case 'uri':
      return 'http://example.com/';
    default:
      return 'text';
  }
}
