import {
  createServiceClient,
  follow,
  ServiceError,
  type ServiceClient,
  SessionCredentials,
  StreamEndedError,
  type Tokens,
  UnreachableError,
  unwrap,
} from '@agent-control-plane/client';
import { createAgent, deploy, obey, report, type TestAgent } from './builders/agents.js';
import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { freePort } from '../bench/fleet/free-port.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { STREAM_HEARTBEAT_SECONDS: '1' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

const clientOf = (credentials?: string) => createServiceClient({ baseUrl: app.url, credentials });
const countOf = async (table: string) =>
  Number((await app.database.query(`SELECT count(*) FROM ${table}`))[0]!.count);

/** A session with its tokens in memory, which counts its refreshes. */
function sessionOf(tokens: Tokens) {
  const session = { tokens, refreshes: 0 };
  const store = { read: () => session.tokens, write: (fresh: Tokens) => void (session.tokens = fresh) };
  const credentials = new SessionCredentials(store, (refresh_token) => {
    session.refreshes += 1;
    return unwrap(clientOf().POST('/auth/refresh', { body: { refresh_token } }));
  });
  return { session, client: createServiceClient({ baseUrl: app.url, credentials }) };
}

describe('A session of the client', () => {
  const login = () =>
    unwrap(clientOf().POST('/auth/login', { body: { email: person.email, password: GOOD_PASSWORD } }));

  it('refreshes an expired access token once after many refused requests', async () => {
    const { session, client } = sessionOf({ ...(await login()), access_token: 'no.longer.good' });
    const people = await Promise.all(Array.from({ length: 10 }, () => unwrap(client.GET('/auth/me'))));
    expect(people.map(({ email }) => email)).toEqual(Array.from({ length: 10 }, () => person.email));
    expect(session.refreshes).toBe(1);
  });

  it("ends with the service's message when the refresh token is refused", async () => {
    const { client } = sessionOf({ access_token: 'x', refresh_token: 'y' });
    await expect(client.GET('/auth/me')).rejects.toMatchObject({
      status: 401,
      detail: 'Invalid or expired refresh token',
    });
  });
});

describe('A request of the client', () => {
  it('rejects with the status, detail, errors and request id of a refusal', async () => {
    const refused = clientOf(person.accessToken).POST('/agents', { body: { name: '', config: '{' } });
    await expect(refused).rejects.toThrow(ServiceError);
    const error = (await refused.catch((reason: unknown) => reason)) as ServiceError;
    expect(error.status).toBe(422);
    expect(error.problems.length).toBeGreaterThanOrEqual(2);
    expect(error.detail).toBe(error.problems.join('; '));
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/);
  });

  it('takes effect once when its reply is lost', async () => {
    const before = await countOf('agents');
    let lost = 0;
    const client = createServiceClient({
      baseUrl: app.url,
      credentials: person.accessToken,
      fetch: async (request) => {
        const response = await fetch(request);
        if (request.method !== 'POST' || lost > 0) return response;
        lost += 1;
        throw new TypeError('the connection broke after the service had answered');
      },
    });
    const { data, response } = await client.POST('/agents', { body: { name: 'made once' } });
    expect(lost).toBe(1);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(data).toMatchObject({ name: 'made once', api_key: expect.stringMatching(/^svc_agent_/) });
    expect(await countOf('agents')).toBe(before + 1);
  });

  it('rejects as unreachable when nothing listens at the address', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const nobody = createServiceClient({ baseUrl, retries: 0 });
    await expect(nobody.GET('/health')).rejects.toThrow(UnreachableError);
    await expect(nobody.GET('/health')).rejects.toThrow(`reached at ${baseUrl} (ECONNREFUSED)`);
  });

  it('rejects as unreachable when the server is not this service', async () => {
    const wrong = createServiceClient({ baseUrl: `${app.url}/docs` });
    const answer = (wrong.GET as (path: string) => Promise<unknown>)('/');
    await expect(answer).rejects.toThrow('something else answers there');
  });

  it('has types for runtime routes as for user routes', async () => {
    const agent = await createAgent(app, person);
    const runtime = clientOf(agent.key);
    const deployment = await deploy(person, agent);
    const { commands } = await unwrap(runtime.GET('/agents/commands', { params: { query: { wait: 1 } } }));
    expect(commands.map(({ action, deployment_id: id }) => [action, id])).toEqual([['deploy', deployment]]);
    const logs = [{ level: 'info' as const, message: 'hello' }];
    expect(await unwrap(runtime.POST('/agents/logs', { body: { logs } }))).toMatchObject({ accepted: 1 });
  });
});

describe('A stream that the client follows', () => {
  /** Follows a stream, and reads it into a list until the caller ends it. */
  function watch(client: ServiceClient, deploymentId: string, lastEventId = '0') {
    const enough = new AbortController();
    const sequences: number[] = [];
    const connections: boolean[] = [];
    const read = async () => {
      const events = follow(client, '/deployments/{deployment_id}/events/stream', {
        path: { deployment_id: deploymentId },
        lastEventId,
        signal: enough.signal,
        onConnection: (lost) => void connections.push(lost === undefined),
      });
      for await (const { data } of events) sequences.push(data.sequence);
    };
    const ended = read();
    // the test may await its end later
    ended.catch(() => undefined);
    return { sequences, connections, ended, stop: () => enough.abort() };
  }

  async function readyDeployment(): Promise<{ agent: TestAgent; id: string }> {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    await report(agent, id, { ready_replicas: 1 });
    return { agent, id };
  }

  it('continues at another instance when it ends or breaks, and delivers every event once', async () => {
    const { id } = await readyDeployment();
    const first = await startTestApp({ database: app.database });
    let at = first.url;
    // on another instance, as behind a load balancer
    const client = createServiceClient({
      baseUrl: app.url,
      credentials: person.accessToken,
      fetch: (request) => fetch(new Request(request.url.replace(app.url, at), request)),
    });
    const watched = watch(client, id);
    const scale = async (replicas: number) =>
      expect((await person.api.post(`/deployments/${id}/scale`, { replicas })).status).toBe(200);
    try {
      await until(() => watched.sequences.length === 3);
      await scale(2);
      await until(() => watched.sequences.length === 4);
      at = app.url;
      await first.close();
      await scale(3);
      await until(() => watched.sequences.length === 5);
      app.app.getHttpServer().closeAllConnections();
      // the connections of other clients were cut too: each has reconnected by now
      await until(() => watched.connections.length >= 3);
      await scale(4);
      await until(() => watched.sequences.length === 6);
    } finally {
      watched.stop();
    }
    await watched.ended;
    expect(watched.sequences).toEqual([1, 2, 3, 4, 5, 6]);
    expect(watched.connections).toEqual([false, true, false, true]);
  });

  it('ends when its deployment or agent is deleted', async () => {
    const { agent, id } = await readyDeployment();
    const watched = watch(clientOf(person.accessToken), id);
    await until(() => watched.sequences.length === 3);
    await person.api.delete(`/agents/${agent.id}`);
    await expect(watched.ended).rejects.toMatchObject({ name: 'StreamEndedError', reason: 'removed' });
  });

  it('ends when the key is revoked', async () => {
    const { id } = await readyDeployment();
    const key = await unwrap(clientOf(person.accessToken).POST('/api-keys', { body: { name: 'watcher' } }));
    const watched = watch(clientOf(key.key), id);
    await until(() => watched.sequences.length === 3);
    expect((await person.api.delete(`/api-keys/${key.id}`)).status).toBe(204);
    await expect(watched.ended).rejects.toThrow(StreamEndedError);
    await expect(watched.ended).rejects.toMatchObject({ reason: 'credential' });
  });

  it('is refused when its deployment or agent does not exist', async () => {
    const { ended } = watch(clientOf(person.accessToken), person.id);
    await expect(ended).rejects.toMatchObject({ name: 'ServiceError', status: 404 });
  });
});
