import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, deploy } from '../builders/agents.js';
import { ServiceRelay, type Verdict } from '../harness/service-relay.js';
import { RunnerSuite } from '../runner/runner-suite.js';
import { Svc } from './svc.js';

/** The page of a gateway before the service, which asks for a login of its own. */
const PAGE: Verdict = {
  status: 401,
  headers: { 'content-type': 'text/html', 'x-request-id': 'of-the-gateway' },
  body: '<h1>Log in to the network</h1>',
};

let suite: RunnerSuite;
let relay: ServiceRelay;

beforeAll(async () => {
  suite = await RunnerSuite.open();
  relay = await ServiceRelay.start(suite.app.url);
});

beforeEach(() => relay.reset());

afterAll(async () => {
  await relay.close();
  await suite.close();
});

describe('The 401 of a gateway', () => {
  it('is not taken for a login that is over', async () => {
    const svc = await Svc.loggedIn(relay.url, suite.person.email);
    try {
      const before = await svc.config();
      relay.decide(({ path }) => (path === '/health' ? 'pass' : PAGE));
      const list = await svc.run(['agents', 'list']);
      expect([list.code, list.stdout]).toEqual([4, '']);
      expect(list.stderr).toMatch(/401 Unauthorized, which is a proxy's answer and not the service's/);
      const status = await svc.run(['status', '--output', 'json']);
      expect(JSON.parse(status.stdout)).toMatchObject({
        authenticated: null,
        service: { status: 'healthy' },
      });
      relay.reset();
      expect(await svc.json(['agents', 'list'])).toEqual([]);
      expect(await svc.config()).toEqual(before);
    } finally {
      await svc.removeHome();
    }
  });

  it('makes no new key for svc run', async () => {
    const config = { command: ['sleep', '1000'], readiness: { seconds: 0.1 } };
    const agent = await createAgent(suite.app, suite.person, { config });
    await deploy(suite.person, agent);
    const { path: home } = suite.makeHome();
    mkdirSync(join(home, '.svc'), { mode: 0o700 });
    const { accessToken, refreshToken } = suite.person;
    const login = { api_url: relay.url, api_key: accessToken, refresh_token: refreshToken };
    writeFileSync(join(home, '.svc', 'config.json'), JSON.stringify({ ...login, issued_by: relay.url }));
    const run = () =>
      suite.run({ HOME: home, SERVICE_AGENT_KEY: '', SERVICE_API_URL: '' }, ['--agent', agent.id]);
    const key = () => readFileSync(join(home, '.svc', 'run', agent.id, 'key'), 'utf8');

    const first = run();
    await first.next('replica_ready');
    expect(await first.end()).toBe(0);
    const made = key();
    relay.decide((request) => (request.path === `/agents/${agent.id}/status` ? PAGE : 'pass'));
    const second = run();
    await second.next('replica_ready');
    expect(await second.end()).toBe(0);
    expect(relay.to(`/agents/${agent.id}/status`)).toHaveLength(1);
    expect(key()).toBe(made);
  });
});
