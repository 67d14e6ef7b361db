import { createAgent, type TestAgent } from './builders/agents.js';
import { type Person, registerOperator } from './builders/people.js';
import { ApiDescription } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

const UNKNOWN = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
/** Ignores parameters that it does not know, so that a probe is never refused for its address. */
const PROBED = ['/', '/health', '/ready'];

let service: TestApp;
let operator: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  operator = await registerOperator(service);
  agent = await createAgent(service, operator);
});

afterAll(() => service.close());

describe('An unknown query parameter', () => {
  it.each([
    ['/agents?status[]=failed', 'status[]', 'did you mean "status"?'],
    ['/deployments?activ=true', 'activ', 'did you mean "active"?'],
    ['/logs?colour=red', 'colour', /there are .*min_level/],
    ['/auth/me?colour=red', 'colour', 'the route has none'],
  ])('is a 422 that names it and the nearest known one: %s', async (path, field, hint) => {
    const { status, body } = await operator.api.get(path);
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          field,
          code: 'unknown_parameter',
          message: expect.stringMatching(hint instanceof RegExp ? hint : hint.replaceAll('?', '\\?')),
        },
      ],
    ]);
  });

  it('is a 422 on every route of people, and no documented parameter is unknown', async () => {
    const operations = ApiDescription.committed().operations.filter(
      ({ security, path }) => !security.includes('agent_api_key') && !PROBED.includes(path),
    );
    expect(operations.length).toBeGreaterThan(100);
    const faults = [];
    for (const { id, method, path, parameters } of operations) {
      const names = parameters.filter((it) => it.in === 'query').map(({ name }) => name);
      const query = [...names, 'nobody_has_this'].map((name) => `${name}=x`).join('&');
      const { status, body } = await operator.api.request(
        method,
        `${path.replaceAll(/\{\w+\}/g, UNKNOWN)}?${query}`,
      );
      const unknown = (body?.errors ?? [])
        .filter(({ code }: { code: string }) => code === 'unknown_parameter')
        .map(({ field }: { field: string }) => field);
      if (unknown.join() !== 'nobody_has_this') faults.push({ id, status, unknown });
    }
    expect(faults).toEqual([]);
  });

  it('is ignored when its value is empty, by routes of runtimes and by probes', async () => {
    expect((await operator.api.get('/agents?colour=')).status).toBe(200);
    expect((await agent.runtime.get('/agents/commands?colour=red')).status).toBe(200);
    for (const path of PROBED) expect((await service.api.get(`${path}?at=1`)).status).toBe(200);
  });
});
