import { report } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { type DeploymentStatus, stageDeployment } from './harness/deployment-states.js';
import { expectError } from './harness/error-shape.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let service: TestApp;
let person: Person;

beforeAll(async () => {
  service = await startTestApp();
  person = await registerPerson(service);
});

afterAll(() => service.close());

const deploymentOf = async (id: string) => (await person.api.get(`/deployments/${id}`)).body;
const historyOf = async (id: string) => (await person.api.get(`/deployments/${id}/events`)).body.items;

async function tell(body: object): Promise<boolean> {
  const reply = await person.api.post('/webhooks/deployment', body);
  expect([reply.status, reply.body]).toEqual([200, { status: 'processed', changed: expect.any(Boolean) }]);
  return reply.body.changed;
}

describe('A report of a deployment', () => {
  /** Effect of each reported status on a deployment, written from the promised lifecycle. */
  const promised: Record<string, Partial<Record<DeploymentStatus, [DeploymentStatus, string]>>> = {
    running: { deploying: ['running', 'running'] },
    ready: { deploying: ['ready', 'ready'], running: ['ready', 'ready'] },
    failed: {
      deploying: ['failed', 'failed'],
      running: ['failed', 'failed'],
      ready: ['failed', 'failed'],
    },
    deploying: {},
    stopped: {},
    killed: {},
  };
  const living: DeploymentStatus[] = ['deploying', 'running', 'ready', 'stopped', 'failed'];
  const cases = Object.keys(promised).flatMap((reported) => living.map((from) => ({ reported, from })));

  it.each(cases)(
    'with status $reported changes a $from deployment as the lifecycle says',
    async ({ reported, from }) => {
      const { id } = await stageDeployment(service, person, from);
      const before = await historyOf(id);
      await tell({ deployment_id: id, event: 'watcher.note', status: reported });
      const [status, eventType] = promised[reported]?.[from] ?? [from, 'watcher.note'];
      const [event, ...earlier] = await historyOf(id);
      expect(event).toMatchObject({
        event_type: eventType,
        status,
        previous_status: from,
        actor: `user:${person.id}`,
        sequence: before.length + 1,
      });
      expect(earlier).toEqual(before);
      const deployment = await deploymentOf(id);
      expect(deployment.status).toBe(status);
      if (eventType !== 'watcher.note') expect(deployment.status_source).toBe('user');
    },
  );

  it.each(Object.keys(promised))('with status %s is refused for a killed deployment', async (status) => {
    const { id } = await stageDeployment(service, person, 'killed');
    const before = await historyOf(id);
    const body = { deployment_id: id, event: 'watcher.note', status };
    expectError(await person.api.post('/webhooks/deployment', body), 409, 'The deployment was killed');
    expect(await historyOf(id)).toEqual(before);
  });

  it('recovers a deployment whose heartbeat was lost', async () => {
    const { id } = await stageDeployment(service, person, 'failed');
    await service.database.query("UPDATE deployments SET failure_cause = 'heartbeat_lost' WHERE id = $1", [
      id,
    ]);
    await tell({ deployment_id: id, event: 'back', status: 'running' });
    expect((await historyOf(id))[0]).toMatchObject({ event_type: 'recovered', status: 'running' });
  });

  it('returns whether it changed the deployment', async () => {
    const { id } = await stageDeployment(service, person, 'deploying');
    const note = { deployment_id: id, event: 'watcher.note' };
    expect(await tell({ ...note, status: 'running' })).toBe(true);
    expect(await tell({ deployment_id: id, event: 'running', status: 'running' })).toBe(false);
    expect(await tell(note)).toBe(true);
  });

  it('stores the host and the reason of the failure', async () => {
    const { id } = await stageDeployment(service, person, 'running');
    const told = { node_id: 'node-7', error_message: 'x'.repeat(10_000) };
    await tell({ deployment_id: id.toUpperCase(), event: 'oom', status: 'failed', ...told });
    const kept = { node_id: 'node-7', error_message: 'x'.repeat(8_192) };
    expect(await deploymentOf(id)).toMatchObject({ status: 'failed', ready_replicas: 0, ...kept });
    expect((await historyOf(id))[0]).toMatchObject({ event_type: 'failed', ...kept });
  });

  it('counts all replicas as ready when the deployment is ready', async () => {
    const { id } = await stageDeployment(service, person, 'running');
    await person.api.post(`/deployments/${id}/scale`, { replicas: 3 });
    await tell({ deployment_id: id, event: 'up', status: 'ready' });
    expect(await deploymentOf(id)).toMatchObject({ status: 'ready', ready_replicas: 3 });
  });

  it('is recorded in the history under its own name when the status does not change', async () => {
    const { id } = await stageDeployment(service, person, 'running');
    const before = await deploymentOf(id);
    const told = { node_id: 'node-8', error_message: 'slow disk' };
    await tell({ deployment_id: id, event: 'disk_warning', ...told });
    expect(await historyOf(id)).toEqual([
      expect.objectContaining({
        sequence: 3,
        event_type: 'disk_warning',
        status: 'running',
        previous_status: 'running',
        replicas: 1,
        ...told,
      }),
      expect.objectContaining({ sequence: 2, event_type: 'running' }),
      expect.objectContaining({ sequence: 1, event_type: 'deploy' }),
    ]);
    const after = await deploymentOf(id);
    expect(after).toEqual({ ...before, node_id: 'node-8', updated_at: after.updated_at });
    const found = (await person.api.get(`/deployments/${id}/events?event_type=disk_warning`)).body;
    expect([found.total, found.items[0].event_type]).toEqual([1, 'disk_warning']);
  });

  it('writes no lifecycle step that was not taken', async () => {
    const { id } = await stageDeployment(service, person, 'running');
    const before = await historyOf(id);
    for (const event of ['kill', 'running', 'scale', 'deploy']) {
      await tell({ deployment_id: id, event });
      await tell({ deployment_id: id, event, status: 'running' });
    }
    expect(await historyOf(id)).toEqual(before);
  });

  it('keeps the history numbered without a gap when reports and requests race', async () => {
    const { agent, id } = await stageDeployment(service, person, 'ready');
    await Promise.all([
      ...Array.from({ length: 8 }, (_, n) => tell({ deployment_id: id, event: `note-${n}` })),
      ...[2, 3, 4, 5].map((replicas) => person.api.post(`/deployments/${id}/scale`, { replicas })),
      report(agent, id, { status: 'running', ready_replicas: 0 }),
      person.api.post(`/agents/${agent.id}/stop`),
    ]);
    const events = [...(await historyOf(id))].reverse();
    expect(events.map(({ sequence }: any) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ event_type }: any) => event_type.startsWith('note-'))).toHaveLength(8);
    events.slice(1).forEach((event: any, index) => expect(event.previous_status).toBe(events[index].status));
    expect((await deploymentOf(id)).status).toBe('stopped');
  });
});
