import { jest } from '@jest/globals';
import { createAgent, deploy, obey, poll, report, type TestAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { createProject, registerMember } from './builders/projects.js';
import { createWebhook, settled, type TestWebhook, WEBHOOK_SETTINGS } from './builders/webhooks.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { waitingForLocks, whileHeld } from './harness/held-lock.js';
import { SEVERAL_CONNECTIONS, startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { WebhookReceiver } from './harness/webhook-receiver.js';

/** Hundreds of requests at once. */
jest.setTimeout(120_000);

/** Number of handovers in the middle of other work. */
const MOVES = 10;

let app: TestApp;
let other: TestApp;
let receiver: WebhookReceiver;
let mover: Person;
let projects: string[];
let webhooks: TestWebhook[];
let agent: TestAgent;

beforeAll(async () => {
  const settings = { ...WEBHOOK_SETTINGS, ...SEVERAL_CONNECTIONS };
  app = await startTestApp({ settings });
  other = await startTestApp({ database: app.database, settings });
  receiver = await WebhookReceiver.start();
});

beforeEach(async () => {
  mover = await registerPerson(app);
  projects = [];
  webhooks = [];
  for (const name of ['one', 'two', 'three']) {
    const projectId = await createProject(mover, name);
    projects.push(projectId);
    webhooks.push(await createWebhook(mover, receiver.url, { project_id: projectId }));
  }
  agent = await createAgent(app, mover, { project_id: projects[0] });
});

afterAll(async () => {
  await expectCleanAudit(app.database);
  await receiver.close();
  await other.close();
  await app.close();
});

const move = (projectId: string, person = mover, instance = app) =>
  instance.api.as(person.accessToken).patch(`/agents/${agent.id}`, { project_id: projectId });

const projectOf = async (): Promise<string> => (await mover.api.get(`/agents/${agent.id}`)).body.project_id;

async function feeds(): Promise<any[][]> {
  const read = async (projectId: string) =>
    (await mover.api.get(`/events?project_id=${projectId}&limit=500`)).body;
  return Promise.all(projects.map(read));
}

/** Sends requests that wait for the row of the agent, and take it in the order in which they were sent. @returns the replies */
async function queued(requests: readonly (() => Promise<any>)[]): Promise<any[]> {
  const replies: Promise<any>[] = [];
  await whileHeld(app.database, `SELECT FROM agents WHERE id = '${agent.id}' FOR UPDATE`, async (release) => {
    for (const request of requests) {
      replies.push(request());
      await until(async () => (await waitingForLocks(app.database)) >= replies.length);
    }
    await release();
  });
  return Promise.all(replies);
}

/** Each event of the agent is in one feed, without gaps, and was sent once, to the webhook of that feed's project. */
async function expectEachEventOnce(deploymentIds: readonly string[]): Promise<void> {
  const events = await feeds();
  for (const feed of events) {
    expect(feed.map(({ user_sequence }) => user_sequence)).toEqual(feed.map((_, index) => index + 1));
  }
  for (const id of deploymentIds) {
    const history = (await mover.api.get(`/deployments/${id}/events?limit=500`)).body.items;
    const found = events.flat().filter(({ deployment_id }) => deployment_id === id);
    expect(found.map((event) => event.id).sort()).toEqual(history.map((event: any) => event.id).sort());
  }
  for (const [index, { id }] of webhooks.entries()) {
    const sent = (await settled(mover, id)).map(({ payload }) => JSON.parse(payload));
    const steps = sent.flatMap(({ data }) => (data.event ? [data.event.id] : []));
    const told = events[index]!.filter(({ event_type }) => event_type !== 'agent.moved');
    expect(steps.sort()).toEqual(told.map((event) => event.id).sort());
    const own = sent.flatMap(({ data }) => data.agent?.project_id ?? data.deployment?.project_id ?? []);
    expect(own.filter((projectId: string) => projectId !== projects[index])).toEqual([]);
  }
}

describe('Two movers at once', () => {
  it('move the agent in both orders of their requests, one after the other', async () => {
    const id = await deploy(mover, agent);
    const replies = await queued([() => move(projects[1]!), () => move(projects[2]!, mover, other)]);
    expect(replies.map(({ status, body }) => [status, body.project_id])).toEqual([
      [200, projects[1]],
      [200, projects[2]],
    ]);
    expect(await projectOf()).toBe(projects[2]);
    expect((await feeds()).map((feed) => feed.map(({ event_type }) => event_type))).toEqual([
      ['deploy'],
      ['agent.moved'],
      ['agent.moved'],
    ]);
    await expectEachEventOnce([id]);
  });

  it('move it once if the second one does not see the project that the first one chose', async () => {
    const id = await deploy(mover, agent);
    const partner = await registerMember(app, projects[0]!, 'maintainer');
    const [first, second] = await queued([() => move(projects[1]!), () => move(partner.id, partner, other)]);
    expect([first.status, second.status, second.body.message]).toEqual([200, 404, 'Agent not found']);
    expect(await projectOf()).toBe(projects[1]);
    await expectEachEventOnce([id]);
  });
});

describe('A handover and a deploy at the same moment', () => {
  it('leave the deployment in the new project, in either order', async () => {
    const deployAgain = () => mover.api.post(`/agents/${agent.id}/deploy`);
    const [late, lateDeploy] = await queued([() => move(projects[1]!), deployAgain]);
    expect([late.status, lateDeploy.status, lateDeploy.body.project_id]).toEqual([200, 200, projects[1]]);
    const [earlyDeploy, early] = await queued([deployAgain, () => move(projects[2]!)]);
    expect([early.status, earlyDeploy.body.project_id]).toEqual([200, projects[1]]);
    const ids = [lateDeploy.body.id, earlyDeploy.body.id];
    for (const id of ids) {
      expect((await mover.api.get(`/deployments/${id}`)).body.project_id).toBe(projects[2]);
    }
    expect((await poll(agent)).map(({ deployment_id }) => deployment_id).sort()).toEqual(ids.sort());
    await expectEachEventOnce(ids);
  });

  it('refuse the deploy of a person who does not see the new project', async () => {
    const partner = await registerMember(app, projects[0]!, 'deployer');
    const [, refused] = await queued([
      () => move(projects[1]!),
      () => partner.api.post(`/agents/${agent.id}/deploy`),
    ]);
    expect(refused.status).toBe(404);
  });
});

describe('A program at work', () => {
  it('notices nothing of handovers in the middle of its heartbeats, reports and replies, and no event is lost or doubled', async () => {
    const neighbours = await Promise.all(
      projects.map((projectId) => createAgent(app, mover, { project_id: projectId })),
    );
    const ids = await Promise.all([agent, agent, ...neighbours].map((each) => deploy(mover, each)));
    let isOver = false;
    const atWork = async (each: TestAgent, own: readonly string[], instance: TestApp) => {
      const program = { ...each, runtime: instance.api.as(each.key) };
      for (let ready = 0; !isOver; ready = 1 - ready) {
        await obey(program);
        for (const id of own) await report(program, id, { status: 'running', ready_replicas: ready });
        expect((await program.runtime.post('/agents/heartbeat', { status: 'running' })).status).toBe(200);
        expect((await program.runtime.post('/agents/register', { name: `name ${ready}` })).status).toBe(200);
      }
    };
    const working = [
      atWork(agent, [ids[0]!], app),
      atWork(agent, [ids[1]!], other),
      ...neighbours.map((each, index) => atWork(each, [ids[index + 2]!], index % 2 ? app : other)),
    ];
    const scaling = (async () => {
      for (let replicas = 1; !isOver; replicas = 3 - replicas) {
        const reply = await mover.api.post(`/deployments/${ids[0]}/scale`, { replicas });
        if (reply.status !== 400) expect(reply.status).toBe(200);
      }
    })();
    try {
      for (let count = 1; count <= MOVES; count++) {
        const reply = await move(projects[count % projects.length]!, mover, count % 2 ? app : other);
        expect([reply.status, reply.body.project_id]).toEqual([200, projects[count % projects.length]]);
      }
    } finally {
      isOver = true;
      await Promise.all([...working, scaling]);
    }
    await expectEachEventOnce(ids);
    const handedOver = (await feeds()).flat().filter(({ event_type }) => event_type === 'agent.moved');
    expect(handedOver).toHaveLength(2 * MOVES);
  });
});
