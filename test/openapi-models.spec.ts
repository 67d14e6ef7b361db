import { MAXIMUM_OF_32_BITS, schemaProblems } from './harness/document-schemas.mjs';
import { ApiDescription, breaking, isBounded, objectsIn, type Schema } from './harness/openapi.js';

const api = ApiDescription.committed();

const schemas = (): Record<string, Schema> => api.document.components.schemas;

describe('Every model', () => {
  it('has an example', () => {
    const without = Object.entries(schemas()).filter(([, { enum: words, examples, allOf }]) => {
      return !words && !examples && !allOf?.at(-1)?.examples;
    });
    expect(without.map(([name]) => name)).toEqual([]);
  });

  const properties = () =>
    Object.entries(schemas()).flatMap(([model, { properties: own, allOf }]) =>
      Object.entries(own ?? allOf?.at(-1)?.properties ?? {}).map(([name, schema]) => ({
        model,
        name,
        schema,
      })),
    );
  const nameOf = ({ model, name }: { model: string; name: string }) => `${model}.${name}`;

  it('gives each property a type', () => {
    const isTyped = ({ type, $ref, oneOf, anyOf, allOf, enum: values }: Schema & { description?: string }) =>
      type ?? $ref ?? oneOf ?? anyOf ?? allOf ?? values;
    // content that only its sender knows may be any JSON value
    const free = ['capabilities', 'result'];
    expect(
      breaking(properties(), nameOf, ({ name, schema }) => isTyped(schema) ?? free.includes(name)),
    ).toEqual([]);
  });

  it('declares bounds for every property of a request', () => {
    const sentIn = new Set<string>();
    const collect = (value: unknown): void => {
      for (const [, { $ref }] of objectsIn(value)) {
        const name = typeof $ref === 'string' ? $ref.split('/').at(-1)! : '';
        if (name === '' || sentIn.has(name)) continue;
        sentIn.add(name);
        collect(schemas()[name]);
      }
    };
    for (const { body } of api.operations) collect(body ? { body } : {});
    // the service decides the length of tokens; replicas of a new deployment are ignored
    const unbounded = [
      'RefreshRequest.refresh_token',
      'DeployAgentRequest.replicas',
      'CreateDeploymentRequest.replicas',
    ];
    const own = properties().filter(
      (property) => sentIn.has(property.model) && !unbounded.includes(nameOf(property)),
    );
    expect(own.length).toBeGreaterThan(40);
    expect(breaking(own, nameOf, ({ schema }) => isBounded(api.resolve(schema)))).toEqual([]);
  });

  it('declares an integer that may have more than 32 bits as int64, because generators choose the type by it', () => {
    const wide = [...objectsIn(api.document)].filter(
      ([, { type, maximum }]) => [type].flat().includes('integer') && maximum > MAXIMUM_OF_32_BITS,
    );
    expect(wide.length).toBeGreaterThan(5);
    expect(wide.filter(([, { format }]) => format !== 'int64').map(([place]) => place)).toEqual([]);
  });

  it('gives each enumeration a name, so that generated clients have one', () => {
    const named = new Set<unknown>(Object.values(schemas()));
    const unnamed = [...objectsIn(api.document)].filter(
      ([, value]) => Array.isArray(value.enum) && value.enum.length > 1 && !named.has(value),
    );
    expect(unnamed.map(([place]) => place)).toEqual([]);
    const several = Object.values(schemas()).filter(({ enum: words }) => (words?.length ?? 0) > 1);
    expect(several.length).toBeGreaterThan(20);
  });

  it("lists today's values, and describes lists that may grow as open", () => {
    const grows = [
      'CommandResponse.action',
      'CommandRecordResponse.action',
      'WebhookResponse.events',
      'WebhookDeliveryResponse.event',
      'AgentMessage.type',
      'AgentPausedMessage.type',
      'DeploymentMessage.type',
      'RunMessage.type',
      'ApprovalMessage.type',
      'BudgetMessage.type',
      'ErrorBody.code',
      'FieldError.code',
    ];
    const isOpen = ({ anyOf: [known, ...others] = [] }: Schema) =>
      known !== undefined &&
      api.resolve(known).enum !== undefined &&
      others.length === 1 &&
      others[0]!.type === 'string' &&
      others[0]!.enum === undefined;
    const open = properties().filter(({ schema }) => isOpen(schema.items ?? schema));
    expect(open.map(nameOf).sort()).toEqual(grows.sort());
  });
});

describe('Every example', () => {
  /** The content of all requests, responses and messages, with its place. */
  const contents = (): [place: string, schema: Schema][] =>
    [...objectsIn(api.document)].flatMap(([place, object]) =>
      Object.entries<any>(object.content ?? {})
        // A model may have a property of this name, too: its members are no media types.
        .filter(([type]) => type.includes('/') && type !== 'text/plain')
        .map(([type, { schema }]): [string, Schema] => [`${place} ${type}`, schema]),
    );

  /**
   * The examples of a schema: a list has those of its items, a choice those of its alternatives, and a model that
   * inherits its base's and its own.
   */
  function examplesOf(schema: Schema): unknown[] {
    const { examples, items, anyOf, allOf } = api.resolve(schema);
    if (examples) return [...examples];
    if (items) return examplesOf(items).map((item) => [item]);
    if (anyOf) return anyOf.every((one) => examplesOf(one).length > 0) ? anyOf.flatMap(examplesOf) : [];
    if (!allOf) return [];
    const parts = allOf.map((part) => examplesOf(part)[0]);
    return parts.includes(undefined) ? [] : [Object.assign({}, ...parts)];
  }

  it('exists for each request, response, message and live event', () => {
    expect(contents().length).toBeGreaterThan(70);
    const without = contents().filter(([, schema]) => examplesOf(schema).length === 0);
    expect(without.map(([place]) => place)).toEqual([]);
  });

  it('is valid by its schema and has no undeclared property', () => {
    const invalid = contents().flatMap(([place, schema]) =>
      examplesOf(schema).flatMap((example) =>
        schemaProblems(schema, example).map((problem) => `${place}: ${problem}`),
      ),
    );
    expect(invalid).toEqual([]);
  });

  it('is valid by the schema of its parameter', () => {
    const parameters = [...objectsIn(api.document)].filter(
      ([, { in: where, schema }]) => where && schema?.example !== undefined,
    );
    const invalid = parameters.flatMap(([place, { schema }]) =>
      schemaProblems(schema, schema.example).map((problem) => `${place}: ${problem}`),
    );
    expect(parameters.length).toBeGreaterThan(5);
    expect(invalid).toEqual([]);
  });
});
