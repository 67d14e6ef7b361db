import { Database } from '../src/database/database.js';
import { Drain } from '../src/http/drain.js';
import { createAgent, deploy } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { waitingPolls } from './harness/waiting-polls.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

const PRODUCTION = {
  NODE_ENV: 'production',
  BCRYPT_COST: '10',
  WEBHOOK_SECRET_KEY: 'a key for tests, of more than thirty-two bytes',
};
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const version = expect.stringMatching(/^\d+\.\d+\.\d+/);

describe('GET /', () => {
  it('names the service and links to its documentation', async () => {
    const { status, body } = await service.api.get('/');
    expect([status, body]).toEqual([
      200,
      {
        name: 'agent-control-plane',
        version,
        documentation_url: `${service.url}/docs`,
        openapi_url: `${service.url}/openapi.json`,
        web_url: 'http://127.0.0.1:3000',
      },
    ]);
  });

  it('uses PUBLIC_URL for its links when it is set, with any Host of the request', async () => {
    const other = await startTestApp({
      database: service.database,
      settings: { PUBLIC_URL: 'https://agents.example.com', WEB_PORT: '3100' },
    });
    try {
      const { body } = await other.api.get('/', { headers: { 'x-forwarded-host': 'evil.example' } });
      expect(body.documentation_url).toBe('https://agents.example.com/docs');
      expect(body.web_url).toBe('http://127.0.0.1:3100');
    } finally {
      await other.close();
    }
  });
});

describe('GET / in production without PUBLIC_URL', () => {
  it('links by paths, because the caller chooses the Host header', async () => {
    const other = await startTestApp({ database: service.database, settings: PRODUCTION });
    try {
      const { body } = await other.api.get('/');
      expect(body).toMatchObject({ documentation_url: '/docs', openapi_url: '/openapi.json', web_url: null });
    } finally {
      await other.close();
    }
  });
});

describe('GET /health', () => {
  it('returns 200 while the process runs', async () => {
    const { status, body } = await service.api.get('/health');
    expect([status, body]).toEqual([
      200,
      {
        status: 'healthy',
        timestamp: moment,
        version,
        uptime_seconds: expect.any(Number),
        database: 'ready',
      },
    ]);
  });
});

describe('GET /ready', () => {
  it('is 200 as soon as the database is open, which is when the service says that it is ready', async () => {
    const another = await startTestApp({ database: service.database });
    try {
      expect(another.app.get(Database).state).toBe('ready');
      expect((await another.api.get('/ready')).status).toBe(200);
    } finally {
      await another.close();
    }
  });

  it('returns 200 when the instance can serve requests', async () => {
    const { status, body } = await service.api.get('/ready');
    expect([status, body]).toEqual([200, { status: 'ready', database: 'ready', timestamp: moment, version }]);
  });
});

describe('A public route', () => {
  it.each(['/', '/health', '/ready'])('requires no credential and ignores a given one: %s', async (path) => {
    for (const authorization of ['Bearer nonsense', `Bearer ${person.refreshToken}`, 'Basic x']) {
      expect((await service.api.get(path, { headers: { authorization } })).status).toBe(200);
    }
  });
});

describe('An instance that shuts down', () => {
  it('is not ready, answers waiting polls and still answers new requests', async () => {
    const other = await startTestApp({ database: service.database });
    try {
      const agent = await createAgent(other, person);
      const polls = await waitingPolls(other, 3, () => agent.runtime.get('/agents/commands?wait=60'));
      other.app.get(Drain).begin();
      for (const { status, body } of await Promise.all(polls))
        expect([status, body]).toEqual([200, { commands: [] }]);

      const ready = await other.api.get('/ready');
      expect([ready.status, ready.body]).toEqual([
        503,
        { status: 'not_ready', database: 'ready', error: 'The service is shutting down' },
      ]);
      expect(ready.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await other.api.get('/health')).body.status).toBe('healthy');
      expect((await agent.runtime.get('/agents/commands?wait=60')).body).toEqual({ commands: [] });
      await deploy(person, agent);
      const due = async () => (await agent.runtime.get('/agents/commands?wait=60')).body.commands;
      await until(async () => (await due()).length === 1);
    } finally {
      await other.close();
    }
  });
});
