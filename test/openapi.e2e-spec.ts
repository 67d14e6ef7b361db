import { readFile } from 'node:fs/promises';
import { routesOf } from '../src/http/known-routes.js';
import { openApiDocument } from '../src/openapi/openapi-document.js';
import { EVENT_KINDS } from '../src/webhooks/event-catalogue.js';
import {
  ApiDescription,
  breaking,
  isBounded,
  objectsIn,
  type Operation,
  type Schema,
} from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** The protocol of assistants, which ask it what it has, and the document by which they find the identity provider. */
const OF_ASSISTANTS = [
  'POST /mcp',
  ...['', '/mcp'].map((of) => `GET /.well-known/oauth-protected-resource${of}`),
];

let service: TestApp;
let api: ApiDescription;

beforeAll(async () => {
  service = await startTestApp();
  api = await ApiDescription.of(service);
});

afterAll(() => service.close());

/** Every model in a request: an object with named properties. */
function modelsIn(schema: Schema, place = ''): { readonly place: string; readonly schema: Schema }[] {
  const { properties, items, allOf = [], anyOf = [], oneOf = [], ...whole } = api.resolve(schema);
  const parts = [...allOf, ...anyOf, ...oneOf].flatMap((part) => modelsIn(part, place));
  if (items) parts.push(...modelsIn(items, `${place}[]`));
  if (!properties) return parts;
  const inner = Object.entries(properties).flatMap(([name, own]) => modelsIn(own, `${place}.${name}`));
  return [{ place, schema: whole }, ...parts, ...inner];
}

const offending = (isFine: (operation: Operation) => unknown) =>
  breaking(api.operations, ({ id }) => id, isFine);

describe('The OpenAPI document', () => {
  it('is served and committed as the controllers declare it', async () => {
    const declared = openApiDocument(service.app);
    const committed = await readFile('openapi.json', 'utf8').catch(() => 'nothing');
    const isCurrent = committed === `${JSON.stringify(declared, null, 2)}\n`;
    if (!isCurrent) throw new Error('openapi.json is stale: write it anew with `npm run openapi`');
    expect(`${JSON.stringify(api.document, null, 2)}\n`).toBe(committed);
  });

  it('is OpenAPI 3.1 with a title and a description', () => {
    expect(api.document.openapi).toMatch(/^3\.1\.\d$/);
    expect(api.document.info).toMatchObject({
      title: expect.any(String),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(api.document.servers.length).toBeGreaterThan(0);
  });

  it('is the same on every host', async () => {
    const other = await startTestApp({
      database: service.database,
      settings: { PUBLIC_URL: 'https://agents.example.com' },
    });
    try {
      expect((await other.api.get('/openapi.json')).body).toEqual(api.document);
    } finally {
      await other.close();
    }
  });

  it('has every route and no other', () => {
    const documented = api.operations.map(({ method, path }) =>
      `${method} ${path}`.replace(/(?<=\S)\/$/, ''),
    );
    const routes = routesOf(service.app.getHttpAdapter().getInstance())
      .map(({ path, methods }) => `${methods[0]} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .map((route) => route.replace(/(?<=\S)\/$/, ''))
      .filter((route) => !/^GET \/(docs|openapi\.json)/.test(route) && !OF_ASSISTANTS.includes(route));
    expect(routes.sort()).toEqual(documented.sort());
  });

  it('has a component for every reference, and a reference to every component', () => {
    const references = [...objectsIn(api.document)].flatMap(([, object]) =>
      object.$ref ? [String(object.$ref)] : [],
    );
    for (const reference of references) expect(() => api.resolve({ $ref: reference })).not.toThrow();
    const names = Object.entries<object>({ ...api.document.components, securitySchemes: {} }).flatMap(
      ([section, named]) => Object.keys(named).map((name) => `#/components/${section}/${name}`),
    );
    expect(names.filter((name) => !references.includes(name))).toEqual([]);
  });

  it('has paths of at most 1,500 bytes for each operation, because common parts are components', () => {
    expect(JSON.stringify(api.document.paths).length / api.operations.length).toBeLessThan(1_500);
  });

  it('uses the type null of JSON Schema 2020-12', () => {
    const old = [...objectsIn(api.document)].filter(
      ([place, object]) =>
        !place.endsWith('/properties') &&
        ('nullable' in object ||
          typeof object.exclusiveMinimum === 'boolean' ||
          typeof object.exclusiveMaximum === 'boolean'),
    );
    expect(old.map(([place]) => place)).toEqual([]);
  });

  it('has no null among the words of an enumeration', () => {
    const withNull = [...objectsIn(api.document)].filter(
      ([, it]) => Array.isArray(it.enum) && it.enum.includes(null),
    );
    expect(withNull.map(([place]) => place)).toEqual([]);
  });

  it('describes only access tokens as JWTs', () => {
    const schemes = Object.entries<any>(api.document.components.securitySchemes);
    const ofTokens = schemes.filter(([, { bearerFormat }]) => bearerFormat === 'JWT');
    expect(ofTokens.map(([name]) => name)).toEqual(['access_token']);
  });

  it('names no class or file of the service', () => {
    expect(
      [...objectsIn(api.document)].filter(([, object]) =>
        Object.keys(object).some((key) => key.startsWith('x-') && key !== 'x-scope'),
      ),
    ).toEqual([]);
    expect(JSON.stringify(api.document)).not.toMatch(/Controller|Entity\b|\.ts\b/);
  });
});

describe('Every operation', () => {
  const raw = (): Record<string, any>[] =>
    Object.values<Record<string, any>>(api.document.paths).flatMap((path) => Object.values(path));

  it('has a unique readable name, a summary, a description and a described tag', () => {
    const names = api.operations.map(({ id }) => id);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z]+([A-Z][a-z]+)*$/.test(name))).toEqual([]);
    const tags = api.document.tags.map(({ name }: { name: string }) => name);
    for (const { operationId, summary, description, tags: own } of raw()) {
      const lengths = [summary?.length > 5, description?.length > 5, own?.length];
      expect([operationId, ...lengths]).toEqual([operationId, true, true, 1]);
      expect(tags).toContain(own[0]);
    }
    expect(tags.filter((tag: string) => !raw().some((operation) => operation.tags.includes(tag)))).toEqual(
      [],
    );
  });

  it('has its successes in place with a description, because generators do not follow a reference there', () => {
    const faults = raw().flatMap(({ operationId, responses }) =>
      Object.entries<Record<string, any>>(responses)
        .filter(([status]) => status.startsWith('2'))
        .filter(([, { $ref, description }]) => $ref || !description)
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(faults).toEqual([]);
  });

  it('says that an unknown property is refused when it is a strict request, at any depth, and only then', () => {
    const wrong = api.operations.flatMap(({ id, body, security }) => {
      if (!body) return [];
      const isStrict = !security.includes('agent_api_key');
      return modelsIn(body)
        .filter(({ schema }) => (schema.additionalProperties === false) !== isStrict)
        .map(({ place }) => `${id}${place}`);
    });
    expect(wrong).toEqual([]);
  });

  it('names in x-scope the scope that a user API key needs', () => {
    const byKey = api.operations.filter(({ security }) => security.includes('user_api_key'));
    const without = byKey.filter(({ id }) => !raw().find((it) => it.operationId === id)!['x-scope']);
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('declares its parameters with bounds', () => {
    // examples for unused parameters may have any value
    const parameters = api.operations
      .flatMap(({ id, parameters: own }) => own.map((parameter) => ({ id, ...parameter })))
      .filter(({ id, name }) => id !== 'pollCommands' || name !== 'since');
    const nameOf = ({ id, name }: { id: string; name: string }) => `${id}: ${name}`;
    expect(breaking(parameters, nameOf, ({ schema }) => isBounded(api.resolve(schema)))).toEqual([]);
    expect(
      breaking(parameters, nameOf, (parameter) => parameter.in !== 'path' || parameter.required === true),
    ).toEqual([]);
    for (const { path, parameters: own } of api.operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        own
          .filter((parameter) => parameter.in === 'path')
          .map(({ name }) => name)
          .sort(),
      ).toEqual(inPath.sort());
    }
  });

  it('has named models for its body and its reply', () => {
    const isNamed = (schema: Schema | undefined): boolean =>
      schema !== undefined &&
      (schema.$ref !== undefined ||
        (schema.type === 'array' && isNamed(schema.items)) ||
        (schema.anyOf ?? schema.oneOf ?? []).some(isNamed));
    expect(offending(({ body }) => body === undefined || isNamed(body))).toEqual([]);
    expect(
      offending(({ responses }) =>
        Object.entries(responses).every(([status, { content }]) =>
          status === '204'
            ? content === undefined
            : content['text/plain'] || Object.values<any>(content).every(({ schema }) => isNamed(schema)),
        ),
      ),
    ).toEqual([]);
  });

  it('declares every status of a failure', () => {
    const has = (operation: Operation, ...statuses: number[]) =>
      statuses.every((status) => `${status}` in operation.responses);
    expect(
      offending((operation) => has(operation, 200) || has(operation, 201) || has(operation, 204)),
    ).toEqual([]);
    expect(
      offending((operation) => operation.security.length === 0 || has(operation, 401, 403, 503)),
    ).toEqual([]);
    expect(offending((operation) => !operation.path.includes('{') || has(operation, 404, 422))).toEqual([]);
    expect(offending((operation) => !operation.body || has(operation, 400, 413, 415, 422, 503))).toEqual([]);
    expect(offending((operation) => operation.parameters.length === 0 || has(operation, 422))).toEqual([]);
    const keyed = (operation: Operation) =>
      operation.parameters.some(({ name }) => name === 'Idempotency-Key');
    expect(offending((operation) => !keyed(operation) || has(operation, 409, 422))).toEqual(
      // These wait for the first request instead.
      ['claimRuns', 'submitLogs', 'submitMetrics', 'exportLogs', 'exportMetrics'],
    );
    expect(offending((operation) => !keyed(operation) || has(operation, 422))).toEqual([]);
  });

  it('returns 200 for an action, 201 for a creation, and 204 only for a DELETE', () => {
    const successOf = ({ responses }: Operation) => Object.keys(responses).filter((status) => status < '300');
    const allowed: Readonly<Record<string, string>> = { POST: '200 201', DELETE: '204' };
    expect(
      offending((operation) =>
        successOf(operation).every((status) => (allowed[operation.method] ?? '200').includes(status)),
      ),
    ).toEqual([]);
  });

  it('declares one form for all failures', () => {
    const errors = api.operations.flatMap(({ id, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400 || status === 'default')
        .map(([status, response]) => ({ id, status, response })),
    );
    const others = breaking(
      errors,
      ({ id, status }) => `${id} ${status}`,
      ({ response }) => response.content['application/json'].schema.$ref === '#/components/schemas/ErrorBody',
    );
    expect(others).toEqual(['getReadiness 503']);
  });
});

// Every suite with a WebhookReceiver compares the messages sent with this section.
describe('The webhooks section', () => {
  it('has every kind of message under its name, with headers, a named body and its own id', () => {
    const webhooks = Object.entries<Record<string, any>>(api.document.webhooks);
    expect(webhooks.map(([kind]) => kind).sort()).toEqual([...EVENT_KINDS].sort());
    for (const [kind, item] of webhooks) {
      const { post } = api.resolve(item);
      const body = api.resolve(api.resolve(post.requestBody).content['application/json'].schema);
      const { enum: only, anyOf: [known] = [] } = body.properties!.type!;
      expect([kind, only ?? api.resolve(known).enum]).toEqual([kind, expect.arrayContaining([kind])]);
      expect(
        post.parameters
          .map((parameter: any) => api.resolve(parameter))
          .map(({ name, required }: any) => [name, required]),
      ).toEqual([
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ]);
    }
    const ids = Object.values<any>(api.document.components.pathItems).map(({ post }) => post.operationId);
    expect(new Set([...ids, ...api.operations.map(({ id }) => id)]).size).toBe(
      ids.length + api.operations.length,
    );
  });
});
