import { JOB_LOCKS } from '../src/database/advisory-locks.js';
import { beginRemoval, createAgent, deploy, report, type TestAgent } from './builders/agents.js';
import { createWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { registerPerson } from './builders/people.js';
import type { ApiReply } from './harness/api-client.js';
import { expectError } from './harness/error-shape.js';
import { whileHeld } from './harness/held-lock.js';
import { MonitoredFleet } from './harness/monitored-fleet.js';
import { until } from './harness/until.js';

const TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: no rows';

let fleet: MonitoredFleet;

beforeAll(async () => {
  fleet = await MonitoredFleet.start(WEBHOOK_SETTINGS);
});

afterAll(() => fleet.close());

beforeEach(() => fleet.renew());

async function namesOf(query: string, path = '/agents'): Promise<string[]> {
  const { status, body } = await fleet.person.api.get(`${path}?${query}`);
  expect([status, body]).toEqual([200, expect.any(Array)]);
  return body.map(({ name, agent_name }: { name?: string; agent_name: string }) => name ?? agent_name);
}

const named = (name: string, rest: object = {}): Promise<TestAgent> =>
  createAgent(fleet.app, fleet.person, { name, ...rest });

describe('A search for agents', () => {
  it('matches part of the name, the description, the type and the host, in any case', async () => {
    await named('Invoice-Reader', { description: 'Reads PDF files' });
    const crawler = await named('crawler', { type: 'scraper' });
    await crawler.runtime.post('/agents/register', { hostname: 'node-17.example.com' });
    await createAgent(fleet.app, await registerPerson(fleet.app), { name: 'Invoice-Reader' });
    expect(await namesOf('q=voice-rea')).toEqual(['Invoice-Reader']);
    expect(await namesOf('q=pdf')).toEqual(['Invoice-Reader']);
    expect(await namesOf('q=SCRAP')).toEqual(['crawler']);
    expect(await namesOf('q=17.example')).toEqual(['crawler']);
    expect(await namesOf('q=r')).toEqual(['crawler', 'Invoice-Reader']);
    expect(await namesOf('q=reader%20reads')).toEqual([]);
  });

  it('treats wildcards and quotes as text, and finds a renamed agent at once', async () => {
    const agent = await named('50%_done');
    for (const q of ['%25%25', '__', '%27', '%5C']) expect([q, await namesOf(`q=${q}`)]).toEqual([q, []]);
    expect(await namesOf('q=50%25_')).toEqual(['50%_done']);
    expect(await namesOf('q=5%25d')).toEqual([]);
    await fleet.person.api.patch(`/agents/${agent.id}`, { name: 'finished' });
    expect(await namesOf('q=50%25_')).toEqual([]);
    expect(await namesOf('q=finish&sort=name')).toEqual(['finished']);
    await fleet.person.api.delete(`/agents/${agent.id}`);
    expect(await namesOf('q=finish&sort=name')).toEqual([]);
  });

  it('matches the beginning of an agent id or deployment id', async () => {
    const agent = await named('by id');
    const other = await named('other');
    const deploymentId = await deploy(fleet.person, agent);
    expect(await namesOf(`id_prefix=${agent.id.toUpperCase()}`)).toEqual(['by id']);
    expect(await namesOf(`id_prefix=${agent.id.slice(0, 35)}&q=by`)).toEqual(['by id']);
    expect(await namesOf(`id_prefix=${other.id}&q=by`)).toEqual([]);
    expect((await namesOf(`id_prefix=${agent.id.slice(0, 4)}`)).sort()).toEqual(['by id', 'other']);
    expect(await namesOf(`id_prefix=${deploymentId.slice(0, 30)}`, '/deployments')).toContain('by id');
    expect(await namesOf('id_prefix=ffff', '/deployments')).toEqual([]);
    for (const wrong of ['019', '0192f0c17', 'xyz1', `${agent.id}0`])
      expectError(await fleet.person.api.get(`/agents?id_prefix=${wrong}`), 422);
  });

  it('combines type, status, health and every label', async () => {
    const one = await named('one', { type: 'worker' });
    const two = await named('two', { type: 'worker' });
    await named('three');
    await fleet.person.api.patch(`/agents/${one.id}`, { labels: { team: 'a:b', env: 'live' } });
    await fleet.person.api.patch(`/agents/${two.id}`, { labels: { team: 'a:b' } });
    await deploy(fleet.person, two);
    expect(await namesOf('type=worker&sort=name')).toEqual(['one', 'two']);
    expect(await namesOf('type=work')).toEqual([]);
    expect(await namesOf('label=team:a:b')).toEqual(['two', 'one']);
    expect(await namesOf('label=team:a:b&label=env:live')).toEqual(['one']);
    expect(await namesOf('label=team:a:b&health=offline&connection=never_connected&status=running')).toEqual([
      'two',
    ]);
    expect(await namesOf('q=o&type=worker&health=idle')).toEqual(['one']);
    expectError(await fleet.person.api.get('/agents?label=team'), 422, 'label must be key:value');
  });

  it('paginates each order without a gap, and its Link keeps the filters', async () => {
    const agents = [await named('same'), await named('b'), await named('same'), await named('A')];
    await agents[1]!.runtime.post('/agents/heartbeat', {});
    await agents[0]!.runtime.post('/agents/heartbeat', {});
    const orders = {
      created: [0, 1, 2, 3],
      '-created': [3, 2, 1, 0],
      name: [3, 1, 0, 2],
      '-name': [2, 0, 1, 3],
      last_heartbeat: [1, 0, 2, 3],
      '-last_heartbeat': [0, 1, 3, 2],
    };
    for (const [sort, order] of Object.entries(orders)) {
      const read: string[] = [];
      let path: string | undefined = `/agents?sort=${sort}&type=custom&limit=3&include_total=true`;
      while (path !== undefined) {
        const reply: ApiReply<any> = await fleet.person.api.get(path);
        expect(reply.headers.get('x-total-count')).toBe('4');
        read.push(...reply.body.map(({ id }: { id: string }) => id));
        path = /^<(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1];
      }
      expect([sort, read]).toEqual([sort, order.map((index) => agents[index]!.id)]);
    }
    expectError(
      await fleet.person.api.get('/agents?sort=age'),
      422,
      'sort must be one of the following values: -created, created, name, -name, last_heartbeat, -last_heartbeat, health',
    );
  });
});

describe('A search for deployments', () => {
  it("filters by the agent's name, the agent, and whether the deployment is active", async () => {
    const reader = await named('Reader');
    const writer = await named('writer');
    const first = await deploy(fleet.person, reader);
    await fleet.person.api.post(`/deployments/${first}/stop`);
    await deploy(fleet.person, reader);
    await deploy(fleet.person, writer);
    const path = '/deployments';
    expect(await namesOf('q=READ', path)).toEqual(['Reader', 'Reader']);
    expect(await namesOf('q=r&active=true', path)).toEqual(['writer', 'Reader']);
    expect(await namesOf('active=false', path)).toEqual(['Reader']);
    expect(await namesOf(`agent_id=${writer.id}&q=read`, path)).toEqual([]);
  });
});

/** @returns the overview, after a check that each count of agents is the length of its list */
async function expectListsAsCounted() {
  const { body } = await fleet.person.api.get('/overview');
  for (const filter of ['health', 'connection']) {
    for (const [value, count] of Object.entries(body[`agents_by_${filter}`])) {
      const query = `${filter}=${value}`;
      expect([query, (await namesOf(query)).length]).toEqual([query, count]);
      // An additional filter uses another statement.
      expect([query, (await namesOf(`${query}&type=custom`)).length]).toEqual([query, count]);
    }
  }
  return body;
}

describe('The overview', () => {
  it('counts agents and deployments as the lists do, and names those that need attention', async () => {
    const webhook = await createWebhook(fleet.person, 'http://127.0.0.1:1/', {
      events: ['deployment.failed'],
    });
    const { agent: silent } = await fleet.runningDeployment();
    await fleet.silence(silent, 121);
    const { agent: failing, id } = await fleet.runningDeployment();
    await report(failing, id, { status: 'failed', error_message: TRACE });
    const waiting = await named('never started');
    const waitingDeployment = await deploy(fleet.person, waiting);
    await fleet.app.database.query(
      "UPDATE commands SET created_at = created_at - interval '2 minutes' WHERE agent_id = $1",
      [waiting.id],
    );
    for (const name of ['idle', 'idle as well']) await named(name);
    const { agent: removed } = await fleet.runningDeployment();
    // otherwise the service finishes the removal within seconds, and one deployment fewer is counted
    await whileHeld(
      fleet.app.database,
      `SELECT pg_advisory_xact_lock(${JOB_LOCKS.removalPurge})`,
      async () => {
        await beginRemoval(fleet.app.database, removed.id);
        await fleet.silence(removed, 121);
        const body = await until(async () => {
          const overview = (await fleet.person.api.get('/overview')).body;
          return overview.failing_webhooks.length > 0 && overview;
        });
        expect(body).toMatchObject({
          agents_by_health: { idle: 2, failing: 1, offline: 2 },
          agents_by_connection: { never_connected: 3, online: 1, offline: 1 },
          silent_agents: [{ agent_id: silent.id, last_seen_at: expect.stringMatching(/Z$/) }],
          deployments_by_status: { deploying: 1, running: 2, failed: 1 },
          failures: 1,
          failing_agents: [
            {
              agent_id: failing.id,
              deployment_id: id,
              error: 'ValueError: no rows',
              failures: 1,
              restarts: 0,
              failed_runs: 0,
              failed_at: expect.stringMatching(/Z$/),
            },
          ],
          recovered: { agents: 0, failures: 0 },
          silent_agent_count: 1,
          waiting_commands: 1,
          oldest_waiting_commands: [
            { agent_name: 'never started', deployment_id: waitingDeployment, action: 'deploy' },
          ],
          failing_webhooks: [{ webhook_id: webhook.id, error_message: expect.any(String) }],
        });
        await expectListsAsCounted();
        const idsOf = async (query: string) =>
          (await fleet.person.api.get(`/deployments?${query}`)).body.map((it: { id: string }) => it.id);
        const [aDayAgo, later] = [-86_400_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
        await fleet.person.api.post(`/deployments/${id}/restart`);
        expect((await fleet.person.api.get('/overview')).body).toMatchObject({
          failures: 1,
          failing_agents: [],
          recovered: { agents: 1, failures: 1 },
        });
        expect(await idsOf(`failed_since=${aDayAgo}`)).toEqual([id]);
        expect(await idsOf(`failed_since=${later}`)).toEqual([]);
        expect(await idsOf('waiting=true')).toEqual([waitingDeployment]);
        expect(await idsOf('waiting=false&status=running')).toHaveLength(2);
        expect(await idsOf(`since=${aDayAgo}&until=${later}&status=deploying`)).toEqual([
          waitingDeployment,
          id,
        ]);
        for (const query of [`since=${later}`, `until=${aDayAgo}`]) expect(await idsOf(query)).toEqual([]);
      },
    );
  });

  it('names no failure of a deleted agent', async () => {
    const { agent, id } = await fleet.runningDeployment();
    await report(agent, id, { status: 'failed', error_message: 'out of memory' });
    const failures = async () => {
      const { body } = await fleet.person.api.get('/overview');
      return [body.failures, body.failing_agents.length];
    };
    expect(await failures()).toEqual([1, 1]);
    await fleet.person.api.delete(`/agents/${agent.id}`);
    expect(await failures()).toEqual([0, 0]);
  });

  it('counts what the lists return before and after the monitor declares a loss', async () => {
    const { agent: lost } = await fleet.runningDeployment();
    await fleet.silence(lost, 121);
    await fleet.round();
    const { agent: back } = await fleet.runningDeployment();
    await fleet.silence(back, 121);
    await fleet.round();
    await fleet.heartbeat(back);
    const { agent: fallingSilent } = await fleet.runningDeployment();
    await named('never started');
    const { agent: removed } = await fleet.runningDeployment();
    expect(await expectListsAsCounted()).toMatchObject({
      agents_by_connection: { never_connected: 1, online: 3, offline: 1 },
      silent_agents: [{ agent_id: lost.id }],
    });
    await fleet.person.api.delete(`/agents/${removed.id}`);
    await fleet.silence(fallingSilent, 121);
    // Late, but not silent: no test takes the remaining 20 seconds.
    await fleet.silence(back, 100);
    const silent = [{ agent_id: fallingSilent.id }, { agent_id: lost.id }];
    const changed = {
      agents_by_connection: { never_connected: 1, online: 1, offline: 2 },
      silent_agents: expect.arrayContaining(silent.map((each) => expect.objectContaining(each))),
    };
    expect(await expectListsAsCounted()).toMatchObject(changed);
    // The previous version does not write `online_until`.
    await fleet.app.database.query("UPDATE agent_presence SET online_until = '-infinity'");
    expect(await expectListsAsCounted()).toMatchObject(changed);
    await fleet.heartbeat(fallingSilent);
    await fleet.heartbeat(lost);
    expect(await expectListsAsCounted()).toMatchObject({
      agents_by_connection: { never_connected: 1, online: 3, offline: 0 },
      silent_agents: [],
    });
  });

  it.each([
    { seconds: 30, writes: false },
    { seconds: 90, writes: true },
  ])(
    'uses an online_until that a heartbeat after $seconds s writes: $writes',
    async ({ seconds, writes }) => {
      const [agent] = await fleet.heardAgents(1);
      const untilOf = async () => {
        const [row] = await fleet.app.database.query<{ left: number; until: string }>(
          `SELECT extract(epoch FROM online_until - last_seen_at)::float8 AS left, online_until::text AS until
           FROM agent_presence WHERE agent_id = $1`,
          [agent!.id],
        );
        return row!;
      };
      expect((await untilOf()).left).toBe(120);
      await fleet.silence(agent!, seconds);
      const { until } = await untilOf();
      await fleet.heartbeat(agent!);
      const after = await untilOf();
      expect([after.until !== until, after.left > 40 && after.left <= 120]).toEqual([writes, true]);
    },
  );
});
