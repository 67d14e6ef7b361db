import { type IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { AccessTokenStrategy } from '../src/auth/access-token.strategy.js';
import { createAgent, deploy, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** What a request costs when others like it came before: counts, because no machine changes them. */

let app: TestApp;
let person: Person;
let agent: TestAgent;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
  agent = await createAgent(app, person, { config: { text: 'x'.repeat(2_000) } });
  await deploy(person, agent);
});

afterAll(() => app.close());

afterEach(() => jest.restoreAllMocks());

const list = () => person.api.get('/agents');
const beat = () => agent.runtime.post('/agents/heartbeat', { status: 'idle' });
const poll = () => agent.runtime.get(`/agents/commands?agent_id=${agent.id}`);

/** The requests that the service received while the work was done; each is shown before the service sees it. */
async function received(
  work: () => Promise<unknown>,
  show: (request: IncomingMessage) => void = () => undefined,
): Promise<IncomingMessage[]> {
  const requests: IncomingMessage[] = [];
  const keep = (request: IncomingMessage) => {
    requests.push(request);
    show(request);
  };
  const server = app.app.getHttpServer();
  server.prependListener('request', keep);
  try {
    await work();
  } finally {
    server.off('request', keep);
  }
  return requests;
}

it.each([
  ['a list', list],
  ['the commands of a poll', poll],
])('A reply is handed to its connection in one piece, head and body: %s', async (_, ask) => {
  let reply: Awaited<ReturnType<typeof ask>>;
  let writes: jest.Spied<IncomingMessage['socket']['write']>;
  await received(
    async () => (reply = await ask()),
    ({ socket }) => (writes = jest.spyOn(socket, 'write')),
  );
  expect(reply!.status).toBe(200);
  // Express would send a shorter one in one piece, too.
  expect(JSON.stringify(reply!.body).length).toBeGreaterThan(1_000);
  expect(writes!).toHaveBeenCalledTimes(1);
});

it.each([
  ['a heartbeat', beat],
  ['a poll', poll],
])('The headers of a reply are handed over together, not set one by one: %s', async (_, ask) => {
  const set = jest.spyOn(OutgoingMessage.prototype, 'setHeader');
  const reply = await ask();
  // The headers of the client's own request are not the reply's.
  expect(set.mock.contexts.filter((message) => message instanceof ServerResponse)).toEqual([]);
  expect(reply.headers.get('x-request-id')).not.toBeNull();
});

it('The signature of an access token is verified once, however many requests it comes with', async () => {
  const other = await registerPerson(app);
  // The strategy judges the claims of tokens whose signature it has verified.
  const verified = jest.spyOn(app.app.get(AccessTokenStrategy), 'validate');
  for (let request = 0; request < 3; request++) expect((await other.api.get('/agents')).status).toBe(200);
  expect(verified).toHaveBeenCalledTimes(1);
});

it.each([
  ['a list', list],
  ['a heartbeat', beat],
])('What decorators say of a route is read for its first request alone: %s', async (_, ask) => {
  await ask();
  const reads = jest.spyOn(Reflect as unknown as { getMetadata(key: unknown): unknown }, 'getMetadata');
  expect((await ask()).status).toBe(200);
  expect(reads.mock.calls).toEqual([]);
});

it('A request keeps neither its headers as they were sent nor the parts of its target, because thousands wait', async () => {
  const [list1, poll1] = await received(() => Promise.all([list(), poll()]));
  for (const request of [list1!, poll1!]) {
    expect(request.headers).toHaveProperty('authorization');
    expect(request.rawHeaders).toEqual([]);
    // Where Express and its packages keep a target that they have parsed.
    expect(request).not.toHaveProperty('_parsedUrl');
  }
});
