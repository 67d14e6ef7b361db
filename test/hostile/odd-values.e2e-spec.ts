import { type Belongings, BELONGINGS_SETTINGS, giveBelongings } from '../builders/belongings.js';
import { type Person, registerPerson } from '../builders/people.js';
import { stayOffTheNet } from '../builders/webhooks.js';
import { expectError } from '../harness/error-shape.js';
import { ApiDescription, type Operation, type Schema } from '../harness/openapi.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

let service: TestApp;
let api: ApiDescription;
let person: Person;
let belongings: Belongings;

beforeAll(async () => {
  service = await startTestApp({ settings: BELONGINGS_SETTINGS });
  stayOffTheNet(service);
  api = await ApiDescription.of(service);
  person = await registerPerson(service);
  belongings = await giveBelongings(service, person);
});

afterAll(() => service.close());

describe('Each property of each body', () => {
  const odd = [
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    '',
    ' ',
    `' " $$ \\`,
    '\u0000',
    'x'.repeat(70_000),
    [],
    [null],
    [[]],
    [[{}]],
    {},
    { a: 1 },
    { length: 1 },
  ];

  /**
   * The operation's own example, with each property replaced by one value after the other, also in the objects of an
   * array.
   */
  function* bodiesOf(api: ApiDescription, body: Schema): Generator<[place: string, body: unknown]> {
    const schema = api.resolve(body);
    for (const part of schema.oneOf ?? schema.anyOf ?? []) yield* bodiesOf(api, part);
    const example = api.example(schema) as Record<string, unknown>;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      for (const value of odd) yield [name, { ...example, [name]: value }];
      const items = property.items && api.resolve(property.items);
      if (!items?.properties) continue;
      const [item] = [api.example(items)];
      yield [name, { ...example, [name]: [[item]] }];
      for (const [place, inner] of bodiesOf(api, items))
        yield [`${name}.${place}`, { ...example, [name]: [inner] }];
    }
  }

  it('may have any value without a 500', async () => {
    // Another user's id: a request that deactivates the caller would end the test.
    const ids = { ...belongings.ids, user_id: (await registerPerson(service)).id };
    const pathOf = ({ path }: Operation) =>
      path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name]);
    let sent = 0;
    for (const operation of api.operations) {
      if (!operation.body) continue;
      const caller = operation.security.includes('agent_api_key') ? belongings.agent.runtime : person.api;
      for (const [place, body] of bodiesOf(api, operation.body)) {
        const reply = await caller.request(operation.method, pathOf(operation), { body });
        const what = `${operation.id}, ${place}: ${JSON.stringify(body).slice(0, 200)}`;
        if (reply.status < 200 || reply.status >= 500)
          throw new Error(`${what} was answered ${reply.status}`);
        if (reply.status >= 400) expectError(reply, reply.status);
        sent++;
      }
    }
    expect(sent).toBeGreaterThan(1_000);
    // One after the other; a busy machine takes a tenth of a second for each.
  }, 180_000);
});
