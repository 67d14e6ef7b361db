import { jest } from '@jest/globals';
import { acknowledge, createAgent, deploy, obey, poll, report, type TestAgent } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWebhook } from '../builders/webhooks.js';
import type { ChildService } from '../harness/child-service.js';
import { expectError } from '../harness/error-shape.js';
import { expectNoSecretIn } from '../harness/secrets-made.js';
import { SpanReceiver } from '../harness/span-receiver.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { Instances } from './instances.js';

/** Three services start at once, which takes a busy machine a minute. */
jest.setTimeout(180_000);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

let collector: SpanReceiver;
let receiver: WebhookReceiver;
let instances: Instances;
let api: ChildService;
let dispatcher: ChildService;
let monitor: ChildService;
let person: Person;
let agent: TestAgent;

/** Its spans have the role as an attribute. */
const startWith = (ROLES: string) => instances.add({ ROLES, OTEL_RESOURCE_ATTRIBUTES: `role=${ROLES}` });

beforeAll(async () => {
  [collector, receiver] = await Promise.all([SpanReceiver.start(), WebhookReceiver.start()]);
  instances = await Instances.start(0, {
    MONITOR_INTERVAL_SECONDS: '1',
    HEARTBEAT_INTERVAL_SECONDS: '1',
    HEARTBEAT_TIMEOUT_SECONDS: '2',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    OTEL_SERVICE_NAME: 'fleet',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  });
  [api, dispatcher, monitor] = await Promise.all([
    startWith('api'),
    startWith('dispatcher'),
    startWith('monitor'),
  ]);
  person = await registerPerson(instances.app(api));
  await createWebhook(person, receiver.url);
  agent = await createAgent(instances.app(api), person);
});

afterAll(async () => {
  await instances.close();
  await Promise.all([collector.close(), receiver.close()]);
  expectNoSecretIn('the spans', collector.text);
});

const received = (type: string, deploymentId: string) =>
  receiver.received.filter(({ body }) => body.includes(`"${type}"`) && body.includes(deploymentId));

/** The roles of the instances that sent the webhook messages of a trace. */
const senders = (traceId: string) =>
  new Set(collector.named('deliver webhook', traceId).map(({ resource }) => resource.role));

const statusOf = async (id: string) =>
  (
    await instances.database.query<{ status: string }>('SELECT status FROM deployments WHERE id = $1', [id])
  )[0]!.status;

describe('Three processes with a role each', () => {
  it('carry the trace of a request through its command and its webhook message', async () => {
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01` };
    const reply = await person.api.post(`/agents/${agent.id}/deploy`, undefined, { headers });
    const id = reply.body.id as string;
    const [command] = await poll(agent, '?wait=30');
    expect(command!.parameters.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    await acknowledge(agent, command!.command_id);
    await until(() => received('deployment.deploy', id).length > 0);
    const [message] = received('deployment.deploy', id);
    const span = await until(() => collector.named('POST /agents/:agent_id/deploy', TRACE)[0]);
    expect(span).toMatchObject({ parentId: SPAN, resource: { role: 'api', 'service.name': 'fleet' } });
    expect(span.attributes['control_plane.request_id']).toBe(reply.headers.get('x-request-id'));
    const transaction = await until(() => collector.named('transaction people', TRACE)[0]);
    expect(transaction).toMatchObject({ parentId: span.spanId });
    const delivered = await until(() => collector.named('deliver command deploy', TRACE)[0]);
    expect(delivered).toMatchObject({ resource: { role: 'api' } });
    expect(delivered.attributes['control_plane.command_id']).toBe(command!.command_id);
    expect(delivered.linkedTraceIds).toHaveLength(1);
    // the transaction of the acknowledgement
    await until(() =>
      collector.spans.some(
        ({ name, linkedTraceIds: [linked] }) => name === 'transaction runtimes' && linked === TRACE,
      ),
    );
    // the deployment and the status of the agent are a message each, and their spans may come apart
    await until(() =>
      collector
        .named('deliver webhook', TRACE)
        .some(({ spanId }) => message!.headers.traceparent === `00-${TRACE}-${spanId}-01`),
    );
    expect(senders(TRACE)).toEqual(new Set(['dispatcher']));
    expect(new Set(collector.authorizations)).toEqual(new Set(['Bearer of-the-collector']));
  });

  it('link the statement of a batch of heartbeats to the trace of each heartbeat', async () => {
    await agent.runtime.post('/agents/heartbeat', {});
    const group = await until(() => collector.spans.find(({ name }) => name === 'group presence'));
    await until(() => collector.spans.some(({ traceId }) => traceId === group.linkedTraceIds[0]));
    expect(group.parentId).toBe('');
  });

  it('answer the API only if their role is api', async () => {
    expect((await api.api.as(person.accessToken).get('/agents')).status).toBe(200);
    for (const other of [dispatcher, monitor])
      expectError(await other.api.as(person.accessToken).get('/agents'), 503, /ROLES/);
  });

  it('send webhook messages only from a dispatcher, also after one was killed', async () => {
    await instances.kill(dispatcher);
    const other = await createAgent(instances.app(api), person);
    const id = await deploy(person, other);
    // the others continue: their work is observed, and the message is not sent meanwhile
    await until(async () => (await api.api.get('/ready')).status === 200);
    const waiting = await instances.database.query(
      `SELECT FROM webhook_deliveries WHERE event = 'deployment.deploy' AND attempts = 0`,
    );
    expect(waiting).toHaveLength(1);
    dispatcher = await startWith('dispatcher');
    await until(() => received('deployment.deploy', id).length > 0);
    expect(received('deployment.deploy', id)).toHaveLength(1);
  });

  it('declare agents lost only from a monitor, also after one was killed', async () => {
    await instances.kill(monitor);
    const silent = await createAgent(instances.app(api), person);
    const id = await deploy(person, silent);
    await obey(silent);
    await report(silent, id, { status: 'running' });
    await instances.database.query(
      `UPDATE agent_presence SET last_seen_at = last_seen_at - interval '1 hour' WHERE agent_id = $1`,
      [silent.id],
    );
    // a later message proves that the others have continued
    await createAgent(instances.app(api), person, { name: 'witness' });
    await until(() => receiver.received.some(({ body }) => body.includes('witness')));
    expect(await statusOf(id)).toBe('running');
    monitor = await startWith('monitor');
    await until(async () => (await statusOf(id)) === 'failed');
    await until(() => received('deployment.heartbeat_lost', id).length > 0);
  });
});
