import type { WebClient } from './harness/test-web.js';
import { WebStage } from './harness/web-stage.js';

let stage: WebStage;
let browser: WebClient;

beforeAll(async () => {
  stage = await WebStage.open();
  ({ browser } = await stage.signedUp());
});

afterAll(() => stage.close());

it.each([
  ['GET', 'application/json; charset=utf-8', 20_000, 'gzip', 'gzip'],
  ['GET', 'application/json; charset=utf-8', 20_000, undefined, undefined],
  ['GET', 'application/json; charset=utf-8', 200, 'gzip', undefined],
  ['GET', 'text/event-stream', 20_000, 'gzip', undefined],
  ['POST', 'application/json; charset=utf-8', 20_000, 'gzip', undefined],
])(
  'A reply is compressed when it is long: %s, %s, %d, accepts %s',
  async (method, type, length, accepts, is) => {
    const headers = { 'content-type': type, 'content-length': String(length + 2) };
    stage.relay.decide(() => ({ status: 200, headers, body: `"${'x'.repeat(length)}"` }));
    const reply = await browser.request(method, '/api/dashboard/agents', {
      ...(method === 'POST' && { body: {} }),
      ...(accepts && { headers: { 'accept-encoding': accepts } }),
    });
    expect([reply.status, reply.headers['content-encoding']]).toEqual([200, is]);
    expect(Number(reply.headers['content-length'] ?? 0)).toBe(is ? 0 : length + 2);
  },
);
