import { document } from './document-schemas.mjs';
import type { TestApp } from './test-app.js';

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
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

/** A schema or another object, inline or under `components`. */
interface Reference {
  readonly $ref?: string;
}

export interface Parameter extends Reference {
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
  /** Schema of the JSON body, if it takes one. */
  readonly body?: Schema;
  /** Names of the schemes, one of which is sufficient; none: the route is open. */
  readonly security: readonly string[];
  /** Scope that a user API key needs; absent: `read`, or no user API key is accepted. */
  readonly scope?: string;
  readonly responses: Readonly<Record<string, any>>;
}

/** The API's document. Suites that iterate over it cover new routes automatically. */
export class ApiDescription {
  readonly operations: readonly Operation[];

  constructor(readonly document: any) {
    this.operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).map((parameter: Reference) => this.resolve(parameter)),
        body: operation.requestBody?.content['application/json'].schema,
        security: (operation.security ?? document.security).flatMap((scheme: object) => Object.keys(scheme)),
        scope: operation['x-scope'],
        responses: Object.fromEntries(
          Object.entries<Reference>(operation.responses).map(([status, response]) => [
            status,
            this.resolve(response),
          ]),
        ),
      })),
    );
  }

  /**
   * The committed document. `openapi.e2e-spec.ts` proves that the service serves the same, which takes time to
   * generate.
   */
  static committed(): ApiDescription {
    return new ApiDescription(document);
  }

  static async of(app: Pick<TestApp, 'api'>): Promise<ApiDescription> {
    return new ApiDescription((await app.api.get('/openapi.json')).body);
  }

  operation(id: string): Operation {
    const found = this.operations.find((operation) => operation.id === id);
    if (!found) throw new Error(`No operation ${id}`);
    return found;
  }

  resolve<T extends Reference>(item: T): T {
    if (item.$ref === undefined) return item;
    const found = item.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<any>((place, step) => place?.[step], this.document);
    if (!found) throw new Error(`${item.$ref} leads nowhere`);
    return found as T;
  }

  /** A value that the schema allows: its example, or an object of its required properties. */
  example(schema: Schema): unknown {
    const resolved = this.resolve(schema);
    const [whole = resolved.example] = resolved.examples ?? [];
    if (resolved.type === 'object' && resolved.properties && isRecord(whole)) {
      return Object.fromEntries((resolved.required ?? []).map((name) => [name, whole[name]]));
    }
    if (whole !== undefined) return whole;
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

/** Every object in the document, with its path. */
export function* objectsIn(
  value: unknown,
  place = '#',
): Generator<[place: string, object: Record<string, any>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, any>];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${name}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/**
 * Returns true if a schema is bounded. Unbounded texts and numbers invite generated clients, and attackers, to try any
 * size.
 */
export function isBounded(schema: Schema): boolean {
  const types = [schema.type ?? []].flat();
  if (schema.enum) return true;
  if (types.includes('integer') || types.includes('number')) return schema.minimum !== undefined;
  if (!types.includes('string')) return true;
  const isCut = /Cut after|is cut/.test(schema.description ?? '');
  return isCut || (schema.format ?? schema.pattern ?? schema.maxLength) !== undefined;
}

/** Names of the items that violate a rule. */
export function breaking<T>(
  all: readonly T[],
  nameOf: (one: T) => string,
  isFine: (one: T) => unknown,
): string[] {
  return all.filter((one) => !isFine(one)).map(nameOf);
}
