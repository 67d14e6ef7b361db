import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, obey, report } from './builders/agents.js';
import { askApproval } from './builders/approvals.js';
import { type Person, registerPerson } from './builders/people.js';
import { stageDeployment } from './harness/deployment-states.js';
import { untilSomeoneWaits, whileHeld } from './harness/held-lock.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

/** Statements that have waited or run for too long, by PostgreSQL's count. */
const TIMED_OUT = /due to \w+ timeout/;

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp();
  person = await registerPerson(app);
});

afterAll(() => app.close());

interface Event {
  sequence: number;
  event_type: string;
  status: string;
  previous_status: string | null;
  replicas: number;
}

/** Plays a history from its beginning: each step must start in the state after the previous one. */
function replay(newestFirst: Event[]): { status: string; replicas: number } {
  const events = [...newestFirst].reverse();
  events.forEach((event, index) => {
    expect(event.sequence).toBe(index + 1);
    expect(event.previous_status).toBe(index === 0 ? null : events[index - 1]!.status);
  });
  return events.at(-1)!;
}

describe('The history of a deployment', () => {
  it('lists each step, newest first, with the deployment itself', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    await report(agent, id, { status: 'failed', error_message: 'out of memory', node_id: 'node-7' });
    const { status, body } = await person.api.get(`/deployments/${id}/events`);
    expect(status).toBe(200);
    expect(body).toEqual({
      deployment_id: id,
      deployment_status: 'failed',
      items: [
        {
          id: expect.any(String),
          deployment_id: id,
          project_id: person.id,
          sequence: 3,
          event_type: 'failed',
          status: 'failed',
          previous_status: 'running',
          replicas: 1,
          actor: `agent:${agent.id}`,
          actor_name: expect.any(String),
          actor_email: null,
          node_id: 'node-7',
          error_message: 'out of memory',
          created_at: expect.stringMatching(/Z$/),
        },
        expect.objectContaining({ sequence: 2, event_type: 'running', actor: `agent:${agent.id}` }),
        expect.objectContaining({
          sequence: 1,
          event_type: 'deploy',
          previous_status: null,
          actor: `user:${person.id}`,
        }),
      ],
      total: 3,
      skip: 0,
      limit: 100,
      event_type: null,
      status: null,
    });
  });

  it('is filtered and paginated, and its total counts the matches', async () => {
    const { id } = await stageDeployment(app, person, 'running');
    for (let replicas = 1; replicas <= 5; replicas++) {
      await person.api.post(`/deployments/${id}/scale`, { replicas });
    }
    const scales = (await person.api.get(`/deployments/${id}/events?event_type=scale&limit=2&skip=1`)).body;
    expect(scales).toMatchObject({ total: 5, skip: 1, limit: 2, event_type: 'scale', status: null });
    expect(scales.items.map((item: Event) => item.replicas)).toEqual([4, 3]);
    const deploying = (await person.api.get(`/deployments/${id}/events?status=deploying`)).body;
    expect(deploying).toMatchObject({ total: 1, status: 'deploying' });
    const both = (await person.api.get(`/deployments/${id}/events?status=running&event_type=running`)).body;
    expect(both.total).toBe(1);
    const { created_at: at } = scales.items[0];
    const since = (await person.api.get(`/deployments/${id}/events?since=${at}`)).body;
    expect(since.items.map((item: Event) => item.replicas)).toEqual([5, 4]);
    const before = (await person.api.get(`/deployments/${id}/events?event_type=scale&until=${at}`)).body;
    expect(before).toMatchObject({ total: 3 });
    const none = (await person.api.get(`/deployments/${id}/events?event_type=never`)).body;
    expect(none).toMatchObject({ total: 0, items: [] });
    const next = await person.api.get(`/deployments/${id}/events?limit=6`);
    expect(next.headers.get('link')).toBe(
      `</deployments/${id}/events?limit=6&before=${next.body.items.at(-1).id}>; rel="next"`,
    );
    expect((await person.api.get(`/deployments/${id}/events?limit=7`)).headers.get('link')).toBeNull();
  });
});

describe('Racing requests', () => {
  /** Two hundred pairs of different concurrent actions on one deployment. */
  it('leave a history that replays to the final status, without a gap or a duplicate', async () => {
    const { agent, id } = await stageDeployment(app, person, 'running');
    const actions: (() => Promise<{ status: number }>)[] = [
      () => person.api.post(`/agents/${agent.id}/stop`),
      () => person.api.post(`/deployments/${id}/scale`, { replicas: Math.ceil(Math.random() * 9) }),
      () => person.api.post(`/deployments/${id}/restart`),
      () =>
        agent.runtime.post('/agents/heartbeat', { deployments: [{ deployment_id: id, status: 'running' }] }),
      () =>
        agent.runtime.post('/agents/heartbeat', { deployments: [{ deployment_id: id, status: 'ready' }] }),
      () =>
        agent.runtime.post('/agents/heartbeat', { deployments: [{ deployment_id: id, status: 'failed' }] }),
    ];
    const applied = { scale: 0, restart: 0 };
    for (let pair = 0; pair < 200; pair++) {
      const [one, other] = [pair % actions.length, (pair + 1 + (pair % 5)) % actions.length] as const;
      const replies = await Promise.all([actions[one]!(), actions[other]!()]);
      [one, other].forEach((action, index) => {
        expect([200, 400]).toContain(replies[index]!.status);
        if (replies[index]!.status === 200 && action === 1) applied.scale++;
        if (replies[index]!.status === 200 && action === 2) applied.restart++;
      });
    }
    await Promise.all([
      person.api.delete(`/deployments/${id}`),
      person.api.post(`/deployments/${id}/restart`),
    ]);
    await person.api.delete(`/deployments/${id}`);
    await Promise.all([person.api.delete(`/deployments/${id}`), person.api.delete(`/deployments/${id}`)]);

    const events: Event[] = [];
    for (let skip = 0; ; skip += 500) {
      const { items } = (await person.api.get(`/deployments/${id}/events?limit=500&skip=${skip}`)).body;
      if (items.length === 0) break;
      events.push(...items);
    }
    const deployment = (await person.api.get(`/deployments/${id}`)).body;
    expect(replay(events)).toMatchObject({ status: 'killed', replicas: deployment.replicas });
    const count = (type: string) => events.filter((event) => event.event_type === type).length;
    expect(count('kill')).toBe(1);
    expect(count('scale')).toBe(applied.scale);
    // The restart concurrent with the first delete may have come first.
    expect(count('restart') - applied.restart).toBeLessThanOrEqual(1);
    expect(deployment.generation).toBe(1 + count('scale') + count('restart'));
    const commands = await app.database.query<{ sequence: number; action: string }>(
      'SELECT sequence, action FROM commands WHERE deployment_id = $1 ORDER BY sequence',
      [id],
    );
    const commanding = ['deploy', 'scale', 'stop', 'restart', 'kill'];
    expect(commands.map((command) => [command.sequence, command.action])).toEqual(
      [...events]
        .reverse()
        .filter((event) => commanding.includes(event.event_type))
        .map((event) => [event.sequence, event.event_type]),
    );
  }, 60_000);
});

describe('The retention of histories', () => {
  it('is cancelled on shutdown when it waits for a lock, and does not delay the shutdown', async () => {
    const { database } = app;
    const ending = await startTestApp({ database });
    await whileHeld(database, 'LOCK TABLE deployment_events IN ACCESS EXCLUSIVE MODE', async () => {
      const round = ending.app
        .get(PeriodicJobs)
        .runOnce('historyRetention')
        .then(
          () => ({ message: 'finished' }),
          (error: Error) => error,
        );
      await untilSomeoneWaits(database);
      // The lock is held until the service has ended.
      await ending.close();
      expect((await round).message).not.toMatch(TIMED_OUT);
    });
  });
});

describe('The timeline of an agent', () => {
  it('has the steps of its deployments, its runs, its questions and its saved configs, newest first and page by page', async () => {
    const agent = await createAgent(app, person);
    const id = await deploy(person, agent);
    await obey(agent);
    const run = (await person.api.post(`/agents/${agent.id}/runs`, { name: 'invoice 17' })).body;
    const approval = await askApproval(agent);
    await report(agent, id, { status: 'failed', error_message: 'x'.repeat(600) });
    await person.api.patch(`/agents/${agent.id}`, { config: { command: ['b'] } });
    const read = async (query: string) =>
      (await person.api.get(`/agents/${agent.id}/timeline?${query}`)).body;

    const { items, next_until } = await read('limit=50');
    const told = items.map((it: any) => `${it.kind} ${it.event}`);
    expect([...told].sort()).toEqual(
      [
        'approval pending',
        'config saved',
        'config saved',
        'deployment deploy',
        'deployment failed',
        'deployment running',
        'run queued',
      ].sort(),
    );
    expect(next_until).toBeNull();
    const of = (event: string) => items.find((it: any) => it.event === event);
    expect(of('failed')).toMatchObject({ id, config_version: 1, message: 'x'.repeat(500) });
    expect(of('queued')).toMatchObject({ id: run.id, title: 'invoice 17', ended_at: null });
    expect(of('pending')).toMatchObject({ id: approval.id, title: approval.title, actor: null });
    expect(of('saved')).toMatchObject({ id: null, config_version: 2, actor: `user:${person.id}` });

    const paged: any[] = [];
    for (let until: string | null = '2200-01-01T00:00:00Z'; until !== null;) {
      const page: any = await read(`limit=1&until=${until}`);
      paged.push(...page.items);
      until = page.next_until;
    }
    const keyed = (entries: any[]) => entries.map((it) => `${it.at} ${it.kind} ${it.event}`).sort();
    expect(keyed(paged)).toEqual(keyed(items));
    const times = paged.map(({ at }) => at);
    expect(times).toEqual([...times].sort().reverse());
    const stranger = await registerPerson(app);
    expect((await stranger.api.get(`/agents/${agent.id}/timeline`)).status).toBe(404);
  });
});
