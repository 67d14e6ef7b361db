import { ApiClient, type ApiReply, type RequestOptions } from './api-client.js';
import type { ApiDescription, Operation, Schema } from './openapi.js';

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /^\S+@\S+$/,
  uri: /^\w+:\/\//,
};

/** A client that holds the service to its word: a reply that is not as the document says throws. */
export class ConformingClient extends ApiClient {
  /** Of each operation: the statuses that were seen. */
  readonly seen: Map<string, Set<number>>;

  constructor(
    private readonly base: string,
    private readonly description: ApiDescription,
    credential?: string,
    seen = new Map<string, Set<number>>(),
  ) {
    super(base, credential);
    this.seen = seen;
  }

  override as(credential: string): ConformingClient {
    return new ConformingClient(this.base, this.description, credential, this.seen);
  }

  override async request<Body = any>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<ApiReply<Body>> {
    const reply = await super.request<Body>(method, path, options);
    const operation = this.operationFor(method, path);
    const problems = operation ? this.problemsOf(operation, reply) : [];
    if (problems.length > 0) {
      const body = JSON.stringify(reply.body).slice(0, 500);
      throw new Error(`${method} ${path} answered ${reply.status}: ${problems.join('; ')}\n${body}`);
    }
    return reply;
  }

  /** Fixed paths win over parameters, as in the service. */
  private operationFor(method: string, path: string): Operation | undefined {
    const bare = path.replace(/\?.*$/, '').replace(/(?<=.)\/$/, '');
    const matches = this.description.operations.filter(
      (operation) =>
        operation.method === method &&
        new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare),
    );
    const parametersIn = (operation: Operation) => operation.path.split('{').length;
    return matches.sort((one, other) => parametersIn(one) - parametersIn(other))[0];
  }

  private problemsOf(operation: Operation, { status, headers, body }: ApiReply<unknown>): string[] {
    const seen = this.seen.get(operation.id) ?? new Set();
    this.seen.set(operation.id, seen.add(status));
    const response = operation.responses[status];
    if (!response) return ['an undocumented status'];
    if (!response.content) return body === '' ? [] : ['a body that is not documented'];
    const type = headers.get('content-type')?.replace(/;.*/, '') ?? '';
    const { schema } = response.content[type] ?? {};
    return schema
      ? mismatches(this.description, schema, body, 'body')
      : [`an undocumented content type ${type}`];
  }
}

/** What of a value is not as its schema says; properties that are not documented count too. */
function mismatches(api: ApiDescription, reference: Schema, value: unknown, place: string): string[] {
  const schema = api.resolve(reference);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) {
    const fits = choices.some((choice) => mismatches(api, choice, value, place).length === 0);
    return fits ? [] : [`${place} is none of its alternatives`];
  }
  const own = [...ofType(schema, value, place), ...ofValue(schema, value, place)];
  if (own.length > 0 || value === null) return own;
  const inner = (schema.allOf ?? []).flatMap((part) => mismatches(api, part, value, place));
  if (Array.isArray(value)) {
    return [
      ...inner,
      ...value.flatMap((item, index) => mismatches(api, schema.items ?? {}, item, `${place}[${index}]`)),
    ];
  }
  return typeof value === 'object' ? [...inner, ...ofObject(api, schema, value, place)] : inner;
}

function ofType({ type }: Schema, value: unknown, place: string): string[] {
  if (type === undefined) return [];
  const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const types = [type].flat();
  const fits = types.includes(actual) || (types.includes('integer') && Number.isInteger(value));
  return fits ? [] : [`${place} is ${actual}, not ${types.join(' or ')}`];
}

function ofValue(schema: Schema, value: unknown, place: string): string[] {
  if (value === null) return [];
  if (schema.enum && !schema.enum.includes(value)) return [`${place} is none of ${schema.enum.join(', ')}`];
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    return value < minimum || value > maximum ? [`${place} is not from ${minimum} to ${maximum}`] : [];
  }
  if (typeof value !== 'string') return [];
  const format = FORMATS[schema.format ?? ''];
  if (format && !format.test(value)) return [`${place} is no ${schema.format}`];
  if (schema.pattern && !new RegExp(schema.pattern, 'u').test(value))
    return [`${place} does not match ${schema.pattern}`];
  const { minLength = 0, maxLength = Infinity } = schema;
  return value.length < minLength || value.length > maxLength ? [`${place} is too short or too long`] : [];
}

function ofObject(api: ApiDescription, schema: Schema, value: object, place: string): string[] {
  const { properties, required = [], additionalProperties } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const found = Object.entries(value).flatMap(([name, inner]) => {
    const property = properties?.[name];
    if (property) return mismatches(api, property, inner, `${place}.${name}`);
    return properties && !additionalProperties ? [`${place}.${name} is not documented`] : [];
  });
  return [...missing.map((name) => `${place}.${name} is missing`), ...found];
}
