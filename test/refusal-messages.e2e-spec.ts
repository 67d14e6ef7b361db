import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator } from './builders/people.js';
import { ApiDescription, type Operation, type Schema } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';

let service: TestApp;
let api: ApiDescription;
let operator: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  api = ApiDescription.committed();
  operator = await registerOperator(service);
  agent = await createAgent(service, operator);
});

afterAll(() => service.close());

/** Values that a property can't have; none of them is absent. */
function wrongValues(schema: Schema): unknown[] {
  const types = [schema.type ?? []].flat();
  if (types.includes('integer') || types.includes('number')) return ['x', -1, 1e300, {}, []];
  return types.length === 0 ? [] : [7, {}, []].filter((value) => !types.includes(typeof value));
}

function requestTo({ method, path, security }: Operation, body: object | undefined, query = '') {
  const client = security.includes('agent_api_key') ? agent.runtime : operator.api;
  return client.request(method, path.replace(/\{\w+\}/g, UNKNOWN) + query, { body });
}

/** The messages of a 422 about a property; undefined if the request was not refused for its values. */
function messagesAbout(name: string, { status, body }: { status: number; body: any }): string[] | undefined {
  if (status !== 422) return undefined;
  const messages: string[] = body.message;
  return messages.filter((message) => new RegExp(`\\b${name}\\b`).test(message));
}

it('A wrong value has one message without a regular expression in every body and every query', async () => {
  const faults: string[] = [];
  let refused = 0;
  const judge = (place: string, about: readonly string[] | undefined) => {
    if (!about) return;
    refused++;
    if (about.length !== 1 || about.some((text) => /\/\^|\$\/|\\[ds]|\(\?/.test(text)))
      faults.push(`${place}: ${JSON.stringify(about)}`);
  };
  // a stream would not end
  for (const operation of api.operations.filter(({ path }) => !path.endsWith('/stream'))) {
    for (const { name, schema } of operation.parameters.filter((parameter) => parameter.in === 'query')) {
      const type = [api.resolve(schema).type].flat()[0];
      for (const value of type === 'integer' || type === 'number' ? ['x', '-1', '1e9', '1&'] : [])
        judge(
          `${operation.id} ?${name}=${value}`,
          messagesAbout(name, await requestTo(operation, undefined, `?${name}=${value}`)),
        );
    }
    const body = operation.body && api.resolve(operation.body);
    for (const [name, schema] of Object.entries(body?.properties ?? {})) {
      for (const value of wrongValues(api.resolve(schema))) {
        const given = { ...(api.example(body!) as object), [name]: value };
        judge(
          `${operation.id} ${JSON.stringify({ [name]: value })}`,
          messagesAbout(name, await requestTo(operation, given)),
        );
      }
    }
  }
  expect(faults).toEqual([]);
  expect(refused).toBeGreaterThan(150);
});
