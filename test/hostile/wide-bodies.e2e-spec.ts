import { EVENT_PATTERNS } from '../../src/webhooks/event-catalogue.js';
import { createAgent, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import type { ApiReply } from '../harness/api-client.js';
import { expectError } from '../harness/error-shape.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { expectNoStall } from './event-loop.js';

const LIMIT = 1024 * 1024;

let service: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
  agent = await createAgent(service, person);
});

afterAll(() => service.close());

/** JSON text with as many entries as fit into a body, or with a given number. */
function filled(open: string, entry: (at: number) => string, close: string, most = LIMIT): string {
  const entries: string[] = [];
  let length = open.length + close.length;
  for (let at = 0; at < most; at++) {
    const next = entry(at);
    length += next.length + 1;
    if (length > LIMIT) break;
    entries.push(next);
  }
  return `${open}${entries.join(',')}${close}`;
}

const objectOf = (keys: number) => filled('{', (at) => `"k${at}":1`, '}', keys);
const callerFor = (path: string) => (path.startsWith('/agents/') ? agent.runtime : person.api);

const TOO_MANY_KEYS = 'The body has an object of more than 50000 keys: send less at a time';
const TOO_MANY_ELEMENTS = 'The body has an array of more than 150000 elements: send less at a time';
const TOO_MANY_VALUES = 'The body has more than 200000 values: send less at a time';
const NO_EMAIL = /^email must be an email$/;

describe('A body of up to 1 MiB that is wide', () => {
  it.each<[string, string, () => string, string | RegExp]>([
    ['90,000 unknown properties', '/newsletter', () => objectOf(90_000), TOO_MANY_KEYS],
    ['90,000 unknown properties', '/auth/login', () => objectOf(90_000), TOO_MANY_KEYS],
    ['90,000 unknown properties', '/leads', () => objectOf(90_000), TOO_MANY_KEYS],
    ['90,000 unknown properties', '/agents/heartbeat', () => objectOf(90_000), TOO_MANY_KEYS],
    [
      '50,000 unknown properties',
      '/leads',
      () => objectOf(50_000),
      /^property k0 should not exist; .* more rules/,
    ],
    ['50,000 keys under email', '/newsletter', () => `{"email":${objectOf(50_000)}}`, NO_EMAIL],
    [
      'one key in each of 100,000 objects',
      '/leads',
      () => filled('{"email":[', () => '{"a":1}', ']}', 99_999),
      NO_EMAIL,
    ],
    [
      '150,000 elements under email',
      '/leads',
      () => filled('{"email":[', () => '1', ']}', 150_000),
      NO_EMAIL,
    ],
    ['500,000 elements', '/leads', () => filled('{"email":[', () => '1', ']}'), TOO_MANY_ELEMENTS],
    ['350,000 empty objects', '/leads', () => filled('[', () => '{}', ']'), TOO_MANY_VALUES],
    ['one key 100,000 times', '/leads', () => filled('{', () => '"email":1', '}', 49_000), /^email must be/],
    [
      '100,000 distinct events',
      '/webhooks',
      () => filled('{"url":"https://example.com","events":[', (at) => `"e${at}"`, ']}'),
      `events must contain no more than ${EVENT_PATTERNS.length} elements`,
    ],
    [
      '99,000 deployments',
      '/agents/heartbeat',
      () => filled('{"deployments":[', () => '{}', ']}', 99_000),
      'deployments must contain no more than 1000 elements',
    ],
    [
      'log entries that are wrong',
      '/agents/logs',
      () => filled('{"logs":[', () => '{}', ']}', 1_000),
      /; 1951 more rules failed$/,
    ],
    [
      'a name of a property',
      '/leads',
      () => `{"${'x'.repeat(LIMIT - 100)}":1}`,
      /^property x+…; email must be/,
    ],
    ['a text', '/leads', () => `{"email":"${'a.'.repeat(500_000)}@example.com"}`, NO_EMAIL],
    ['blanks', '/leads', () => `{"email":"a@${' '.repeat(1_000_000)}b.example"}`, NO_EMAIL],
  ])('is refused and delays no other request: %s to %s', async (_, path, make, message) => {
    const raw = make();
    let reply: ApiReply<any> | undefined;
    await expectNoStall(async () => (reply = await callerFor(path).post(path, undefined, { raw })));
    expectError(reply!, 422, message);
    expect(reply!.body.message.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(reply!.body).length).toBeLessThan(20_000);
  });

  it.each([
    ['that are empty', () => '{}'],
    ['with 100 keys', () => objectOf(100)],
  ])('has its reports %s refused, and delays no other request', async (_, report) => {
    const raw = filled('{"deployments":[', report, ']}', 1_000);
    let reply: ApiReply<any> | undefined;
    await expectNoStall(
      async () => (reply = await agent.runtime.post('/agents/heartbeat', undefined, { raw })),
    );
    expect([reply!.status, reply!.body.refused.length]).toEqual([200, 49]);
    expect(JSON.stringify(reply!.body).length).toBeLessThan(20_000);
  });

  it('is refused with 401 if its password is that long', async () => {
    const raw = `{"email":"a@example.com","password":"${'\uFDFA'.repeat(300_000)}"}`;
    let reply: ApiReply<any> | undefined;
    await expectNoStall(async () => (reply = await service.api.post('/auth/login', undefined, { raw })));
    expectError(reply!, 401);
  });
});

describe('A valid body of up to 1 MiB is accepted and delays no other request', () => {
  const metadata = `{${Array.from({ length: 120 }, (_, at) => `"k${at}":${at % 10}`).join(',')}}`;

  it.each<[string, string, () => string]>([
    [
      'a thousand log entries with 120 keys of metadata each',
      '/agents/logs',
      () =>
        filled('{"logs":[', (at) => `{"level":"info","message":"${at}","metadata":${metadata}}`, ']}', 1_000),
    ],
    [
      'a configuration of 256 KiB in which each key has four digits',
      '/agents',
      () => `{"config":${filled('{', (at) => `"${at.toString(16).padStart(4, '0')}":1`, '}', 29_000)}}`,
    ],
    [
      'a configuration of 256 KiB with one long array',
      '/agents',
      () => filled('{"config":{"list":[', () => '1', ']}}', 130_000),
    ],
    [
      'a thousand reports',
      '/agents/heartbeat',
      () => filled('{"deployments":[', () => `{"deployment_id":"${crypto.randomUUID()}"}`, ']}', 1_000),
    ],
    [
      'metadata with an escape that PostgreSQL can not store',
      '/agents/register',
      () => filled('{"metadata":{"list":["\\u0000"', (at) => `,"${at}\\ud800"`, ']}}').replaceAll(',,', ','),
    ],
  ])('%s', async (_, path, make) => {
    const raw = make();
    const statuses: number[] = [];
    await expectNoStall(async () => {
      statuses.push((await callerFor(path).post(path, undefined, { raw })).status);
    });
    for (const status of statuses) expect(status).toBe(path === '/agents' ? 201 : 200);
  });
});

describe('A key that occurs twice in a body', () => {
  it('has its last value', async () => {
    const raw = '{"name":"first","name":"second","config":{"a":1,"a":2}}';
    const { body } = await person.api.post('/agents', undefined, { raw });
    expect([body.name, body.config]).toEqual(['second', '{"a":2}']);
  });
});
