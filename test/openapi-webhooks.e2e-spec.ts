import { EVENT_KINDS } from '../src/webhooks/event-catalogue.js';
import { ApiDescription } from './harness/openapi.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let api: ApiDescription;

beforeAll(async () => {
  service = await startTestApp();
  api = await ApiDescription.of(service);
});

afterAll(() => service.close());

// what is really sent is held against it by every suite that has a WebhookReceiver
describe('The webhooks section', () => {
  it('has every kind of message under its name, with headers, a named body and an id of its own', () => {
    const webhooks = Object.entries<Record<string, any>>(api.document.webhooks);
    expect(webhooks.map(([kind]) => kind).sort()).toEqual([...EVENT_KINDS].sort());
    for (const [kind, { post }] of webhooks) {
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
    const ids = webhooks.map(([, { post }]) => post.operationId);
    expect(new Set([...ids, ...api.operations.map(({ id }) => id)]).size).toBe(
      ids.length + api.operations.length,
    );
  });
});
