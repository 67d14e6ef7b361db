import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { createAgent, deploy, obey, poll, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember, setMembership } from './builders/projects.js';
import { createWebhook, settled, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { EventStream } from './harness/event-stream.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';
import { withinASecond } from './harness/within-a-second.js';

const LIMIT = 3;

let app: TestApp;
/** Another instance on the same database. */
let other: TestApp;
let receiver: WebhookReceiver;
/** Owns the projects `from` and `to`. */
let mover: Person;
let from: string;
let to: string;
/** Sees `from` only. */
let left: Person;
/** Sees `to` only. */
let right: Person;
let agent: TestAgent;
let deploymentId: string;
const opened: EventStream[] = [];

beforeAll(async () => {
  app = await startTestApp({ settings: { ...WEBHOOK_SETTINGS, MAX_AGENTS_PER_PROJECT: `${LIMIT}` } });
  other = await startTestApp({ database: app.database, settings: WEBHOOK_SETTINGS });
  receiver = await WebhookReceiver.start();
});

beforeEach(async () => {
  mover = await registerPerson(app);
  [from, to] = [await createProject(mover, 'from'), await createProject(mover, 'to')];
  [left, right] = [await registerMember(app, from, 'owner'), await registerMember(app, to, 'owner')];
  agent = await createAgent(app, mover, { project_id: from, name: 'traveller', labels: { team: 'a' } });
  deploymentId = await deploy(mover, agent);
  await obey(agent);
});

afterEach(() => opened.splice(0).forEach((stream) => stream.close()));

afterAll(async () => {
  await expectCleanAudit(app.database);
  await receiver.close();
  await other.close();
  await app.close();
});

const move = (person: Person, projectId: string, body: object = {}) =>
  person.api.patch(`/agents/${agent.id}`, { ...body, project_id: projectId });

async function moved(person: Person, projectId: string): Promise<any> {
  const reply = await move(person, projectId);
  expect([reply.status, reply.body.project_id]).toEqual([200, projectId]);
  return reply.body;
}

const feedOf = async (person: Person, projectId: string): Promise<any[]> =>
  (await person.api.get(`/events?project_id=${projectId}`)).body;

const seen = (person: Person) =>
  Promise.all(
    [
      `/agents/${agent.id}`,
      `/agents/${agent.id}/logs`,
      `/deployments/${deploymentId}`,
      `/deployments/${deploymentId}/events`,
      `/deployments/${deploymentId}/commands`,
    ].map(async (path) => (await person.api.get(path)).status),
  );

async function open(instance: TestApp, person: Person, path: string): Promise<EventStream> {
  const stream = await EventStream.open(instance.url, path, { credential: person.accessToken });
  expect(stream.status).toBe(200);
  opened.push(stream);
  return stream;
}

describe('A handover of an agent', () => {
  it('moves all that belongs to it: the new project sees it, the old one no longer', async () => {
    await mover.api.post('/api-keys', { name: 'second', agent_id: agent.id });
    await deploy(mover, agent);
    await agent.runtime.post('/agents/heartbeat', { status: 'running' });
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'before' });
    const found = `/agents?q=travel&label=team:a&status=running`;
    expect((await left.api.get(found)).body).toHaveLength(1);
    expect(await seen(left)).toEqual([200, 200, 200, 200, 200]);
    expect(await seen(right)).toEqual([404, 404, 404, 404, 404]);
    await moved(mover, to);
    expect(await seen(left)).toEqual([404, 404, 404, 404, 404]);
    expect(await seen(right)).toEqual([200, 200, 200, 200, 200]);
    const lists = async (person: Person, projectId: string) =>
      Promise.all(
        [found, `/agents?project_id=${projectId}`, '/deployments', '/logs', '/api-keys?kind=agent'].map(
          async (path) => (await person.api.get(path)).body.length,
        ),
      );
    expect(await lists(left, from)).toEqual([0, 0, 0, 0, 0]);
    expect(await lists(right, to)).toEqual([1, 1, 2, 1, 2]);
    const summary = async (person: Person, projectId: string) => {
      const { body } = await person.api.get(`/overview?project_id=${projectId}`);
      return [body.agents_by_connection.online, body.deployments_by_status.deploying];
    };
    expect(await summary(left, from)).toEqual([0, 0]);
    expect(await summary(right, to)).toEqual([1, 1]);
  });

  it('is invisible to its program: its key, its waiting commands and its reports continue', async () => {
    const second = await deploy(mover, agent);
    await moved(mover, to);
    const [command] = await poll(agent);
    expect(command).toMatchObject({ action: 'deploy', deployment_id: second });
    await obey(agent);
    await agent.runtime.post('/agents/commands/acknowledge', {
      command_id: command!.command_id,
      success: true,
    });
    await report(agent, second, { status: 'ready', ready_replicas: 1 });
    expect((await agent.runtime.post('/agents/register', { name: 'renamed' })).status).toBe(200);
    await agent.runtime.post('/agents/logs', { level: 'info', message: 'after' });
    expect((await right.api.get(`/deployments/${second}`)).body.status).toBe('ready');
    expect((await right.api.get('/logs')).body.map((log: any) => log.message)).toEqual(['after']);
    const entries = async (person: Person) =>
      (await person.api.get(`/audit?target_id=${agent.id}&action=agent.update`)).body;
    expect(await entries(left)).toEqual([]);
    expect(await entries(right)).toMatchObject([{ actor: `agent:${agent.id}`, project_id: to }]);
  });

  it('does not end a waiting poll of its runtime early, and delivers later commands to it', async () => {
    const waiting = poll(agent, '?wait=30');
    await moved(mover, to);
    await right.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    expect((await waiting).map(({ action }) => action)).toEqual(['scale']);
    await obey(agent);
  });

  it('numbers later events in the new project, the first of them `agent.moved`; earlier ones keep their numbers', async () => {
    const before = await feedOf(left, from);
    await moved(mover, to);
    await right.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    expect(await feedOf(left, from)).toEqual(before);
    const after = await feedOf(right, to);
    expect(after.map(({ event_type, user_sequence }) => [user_sequence, event_type])).toEqual([
      [1, 'agent.moved'],
      [2, 'scale'],
    ]);
    expect(after[0]).toMatchObject({
      actor: `user:${mover.id}`,
      deployment_id: deploymentId,
      project_id: to,
      status: 'running',
      previous_status: 'running',
    });
    const { items } = (await right.api.get(`/deployments/${deploymentId}/events`)).body;
    expect(items.map((event: any) => [event.sequence, event.event_type, event.project_id])).toEqual([
      [4, 'scale', to],
      [3, 'agent.moved', to],
      [2, 'running', from],
      [1, 'deploy', from],
    ]);
  });

  it('keeps only the history for the new project when the old one is deleted', async () => {
    const stayed = await createAgent(app, mover, { project_id: from });
    const gone = await deploy(mover, stayed);
    await mover.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    await moved(mover, to);
    await mover.api.delete(`/agents/${stayed.id}`);
    await until(() => app.app.get(PeriodicJobs).runOnce('removalPurge'));
    await until(async () => (await mover.api.delete(`/projects/${from}`)).status === 204);
    const kept = async () =>
      (
        await app.database.query<{ deployment_id: string }>(
          'SELECT deployment_id FROM deployment_events WHERE user_id = $1',
          [from],
        )
      ).map((event) => event.deployment_id);
    expect(await kept()).toContain(gone);
    await until(() => app.app.get(PeriodicJobs).runOnce('historyRetention'));
    expect(new Set(await kept())).toEqual(new Set([deploymentId]));
    const { items } = (await right.api.get(`/deployments/${deploymentId}/events`)).body;
    expect(items.map((event: any) => event.sequence)).toEqual([4, 3, 2, 1]);
  });

  it('sends later events to the webhooks of the new project, the first of them `agent.moved`', async () => {
    const old = await createWebhook(left, receiver.url, { project_id: from });
    const young = await createWebhook(right, receiver.url, { project_id: to });
    await moved(mover, to);
    await right.api.post(`/deployments/${deploymentId}/scale`, { replicas: 2 });
    expect(await settled(left, old.id)).toEqual([]);
    const sent = await settled(right, young.id);
    expect(sent.map(({ event }) => event)).toEqual(['deployment.scale', 'agent.moved']);
    expect(JSON.parse(sent[1].payload).data).toMatchObject({
      agent: { id: agent.id, project_id: to, user_id: mover.id },
      from_project_id: from,
      to_project_id: to,
    });
  });

  it('is audited for the owners of both projects', async () => {
    await moved(mover, to);
    for (const [person, projectId] of [
      [left, from],
      [right, to],
    ] as const) {
      const { body } = await person.api.get(`/audit?action=project.move_agent&target_id=${agent.id}`);
      expect(body).toMatchObject([
        {
          actor: `user:${mover.id}`,
          project_id: projectId,
          details: { from_project_id: from, to_project_id: to },
        },
      ]);
    }
    expect((await left.api.get('/audit?action=agent.update')).body).toEqual([]);
  });

  it('to a personal project makes its account the user; elsewhere the creator stays', async () => {
    await setMembership(app, from, right, 'maintainer');
    expect((await moved(right, to)).user_id).toBe(mover.id);
    expect((await moved(right, right.id)).user_id).toBe(right.id);
    expect((await moved(right, to)).user_id).toBe(right.id);
  });

  it('changes the rest of the request, too, and nothing to the project that it is in already', async () => {
    const { body } = await move(mover, to, { name: 'settled', description: 'here' });
    expect(body).toMatchObject({ name: 'settled', description: 'here', project_id: to });
    await moved(mover, to);
    expect((await mover.api.get('/audit?action=project.move_agent')).body).toHaveLength(2);
    expect(await feedOf(right, to)).toHaveLength(1);
  });

  it('needs a maintainer of both projects, and a room in the new one', async () => {
    const refusal = async (person: Person, projectId: string) => {
      const { status, body } = await move(person, projectId);
      return [status, body.message];
    };
    expect(await refusal(left, to)).toEqual([404, 'Project not found']);
    expect(await refusal(right, to)).toEqual([404, 'Agent not found']);
    await setMembership(app, to, left, 'deployer');
    expect(await refusal(left, to)).toEqual([403, 'Missing role: maintainer']);
    await setMembership(app, from, right, 'deployer');
    expect(await refusal(right, to)).toEqual([403, 'Missing role: maintainer']);
    for (let count = 0; count < LIMIT; count++) await createAgent(app, mover, { project_id: to });
    expect(await refusal(mover, to)).toEqual([
      409,
      `The project ${to} can have ${LIMIT} agents at most: delete one first`,
    ]);
    expect((await left.api.get(`/agents/${agent.id}`)).body.project_id).toBe(from);
    expect((await feedOf(right, to)).length).toBe(0);
  });
});

describe('A live stream', () => {
  it.each(['this', 'the other'] as const)(
    'on %s instance ends for members of the old project only, who lose the agent within a second',
    async (which) => {
      const instance = which === 'this' ? app : other;
      const paths = [
        `/agents/${agent.id}/logs/stream`,
        `/logs/stream?agent_id=${agent.id}`,
        `/deployments/${deploymentId}/events/stream`,
      ];
      const ended = await Promise.all(paths.map((path) => open(instance, left, path)));
      const going = await Promise.all(paths.map((path) => open(instance, mover, path)));
      await moved(mover, to);
      const refused = () => instance.api.as(left.accessToken).get(`/agents/${agent.id}`);
      await withinASecond(async () => (await refused()).status === 404);
      await until(() => ended.every(({ isClosed }) => isClosed));
      expect(ended.map(({ endReason, data }) => [endReason, data])).toEqual(
        paths.map(() => ['credential', []]),
      );
      await agent.runtime.post('/agents/logs', { level: 'info', message: 'after' });
      await Promise.all(going.map((stream) => stream.has(1)));
      expect(going.map(({ data }) => data[0].message ?? data[0].event_type)).toEqual([
        'after',
        'after',
        'agent.moved',
      ]);
      await until(() => going.every(({ isClosed }) => !isClosed));
    },
  );
});
