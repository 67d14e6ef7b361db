import { jest } from '@jest/globals';
import { acknowledge, createAgent, deploy, poll, type TestCommand } from '../builders/agents.js';
import { type Person, registerPerson } from '../builders/people.js';
import { createWebhook, makeDue, queueEvents } from '../builders/webhooks.js';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import type { ChildService } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import { waitingForLocks, whileGated } from '../harness/held-lock.js';
import { replayed } from '../harness/idempotency-replies.js';
import { until } from '../harness/until.js';
import { WebhookReceiver } from '../harness/webhook-receiver.js';
import { Instances } from './instances.js';

/** Each test starts the service anew, which takes a busy machine half a minute. */
jest.setTimeout(180_000);

let instances: Instances;
let person: Person;

beforeAll(async () => {
  instances = await Instances.start(1, { COMMAND_LEASE_SECONDS: '3', DATABASE_POOL_SIZE: '40' });
});

// whichever instance the last test has left
beforeEach(async () => {
  person = await registerPerson(instances.app());
});

afterEach(() => expectCleanAudit(instances.database));

afterAll(() => instances.close());

/** The same caller at another instance. */
const at = (service: ChildService, credential: string) => service.api.as(credential);

/**
 * Kills the service after it has committed what was asked, and before it could answer. What is asked must insert into
 * `table`, once for each of the `requests`.
 */
async function killBeforeTheReply(
  table: string,
  requests: number,
  ask: () => Promise<ApiReply<any>>[],
  isCommitted: () => Promise<boolean>,
): Promise<ChildService> {
  const { database, first: service } = instances;
  await whileGated(database, table, 'commit', async (open) => {
    const lost = ask().map((reply) => expect(reply).rejects.toThrow());
    await until(async () => (await waitingForLocks(database)) >= requests);
    // Stopped, it can't answer whatever the database does now.
    service.process.kill('SIGSTOP');
    await open();
    await until(isCommitted);
    await instances.kill(service);
    await Promise.all(lost);
  });
  return instances.add();
}

const OWN_AGENTS = 'agent_id IN (SELECT id FROM agents WHERE user_id = $1)';
const OWN_WEBHOOKS = 'webhook_id IN (SELECT id FROM webhooks WHERE user_id = $1)';

/** Counts rows; `$1` in the condition is the person of the test. */
const count = async (table: string, condition: string): Promise<number> => {
  const [row] = await instances.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE $1::uuid IS NOT NULL AND ${condition}`,
    [person.id],
  );
  return row!.count;
};

describe('A service that is killed between the commit and the reply', () => {
  it('has made each thing once: the same request with its Idempotency-Key finds it', async () => {
    const agent = await createAgent(instances.app(), person);
    const requests: Record<string, [path: string, body?: object]> = {
      agent: ['/agents', { name: 'once' }],
      deployment: [`/agents/${agent.id}/deploy`],
      key: ['/api-keys', { name: 'once' }],
      webhook: ['/webhooks/', { url: 'http://127.0.0.1:9/' }],
    };
    const send = (as: ApiClient, names: readonly string[]) =>
      names.map((name) => {
        const [path, body] = requests[name]!;
        return as.post(path, body, { headers: { 'Idempotency-Key': name } });
      });
    let caller = person.api;
    // a user's keys and webhooks are counted under one lock, so that only one of them can be about to commit
    for (const names of [['agent', 'deployment', 'key'], ['webhook']]) {
      const expected = (await count('idempotency_records', 'true')) + names.length;
      const revived = await killBeforeTheReply(
        'idempotency_records',
        names.length,
        () => send(caller, names),
        async () => (await count('idempotency_records', 'true')) === expected,
      );
      caller = at(revived, person.accessToken);
      for (const reply of await Promise.all(send(caller, names))) {
        expect([[200, 201].includes(reply.status), replayed(reply)]).toEqual([true, 'true']);
      }
    }
    expect(await count('agents', `name = 'once' AND user_id = $1`)).toBe(1);
    expect(await count('deployments', 'user_id = $1')).toBe(1);
    expect(await count('api_keys', `name = 'once' AND user_id = $1`)).toBe(1);
    expect(await count('webhooks', 'user_id = $1')).toBe(1);
  });

  it('keeps an acknowledgement as it was, though another one contradicts it later', async () => {
    const agent = await createAgent(instances.app(), person);
    const id = await deploy(person, agent);
    const [command] = await poll(agent);
    const revived = await killBeforeTheReply(
      'deployment_events',
      1,
      () => [acknowledge(agent, command!.command_id)],
      async () => (await count('commands', `acknowledged_at IS NOT NULL AND ${OWN_AGENTS}`)) === 1,
    );
    const runtime = at(revived, agent.key);
    for (const reply of [{ success: false, error: 'no' }, { success: true }]) {
      const again = await acknowledge({ ...agent, runtime }, command!.command_id, reply);
      expect([again.status, again.body]).toEqual([
        200,
        { status: 'ok', command_id: command!.command_id, duplicate: true },
      ]);
    }
    const { body } = await at(revived, person.accessToken).get(`/deployments/${id}`);
    expect([body.status, body.error_message]).toEqual(['running', null]);
    expect(await count('commands', `state = 'succeeded' AND ${OWN_AGENTS}`)).toBe(1);
    expect(await count('deployment_events', 'user_id = $1')).toBe(2);
  });
});

describe('A service that is killed after a command was leased', () => {
  it('delivers it again when the lease ends, to one of many polls', async () => {
    const agent = await createAgent(instances.app(), person);
    await deploy(person, agent);
    const [first] = await poll(agent);
    const revived = await instances.replace(instances.first);
    const runtime = at(revived, agent.key);
    const again: TestCommand[] = [];
    let isSettled = false;
    // Whoever gets it answers at once, and with that the others have nothing to wait for.
    const pollUntilSettled = async () => {
      while (!isSettled) {
        for (const command of await poll({ ...agent, runtime }, '?wait=1')) {
          again.push(command);
          expect(
            (await acknowledge({ ...agent, runtime }, command.command_id)).body.duplicate,
          ).toBeUndefined();
          isSettled = true;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, pollUntilSettled));
    expect(again).toEqual([
      { ...first, attempt: 2, expires_at: expect.not.stringMatching(first!.expires_at) },
    ]);
    // The killed service's lease was kept: by the database's clock the second one began after its end.
    expect(again[0]!.expires_at > first!.expires_at).toBe(true);
    const early = `leased_at < '${first!.expires_at}'`;
    expect(await count('commands', `${early} AND ${OWN_AGENTS}`)).toBe(0);
  });
});

describe('A dispatcher that is killed in the middle of its attempts', () => {
  it('loses no message: each goes out again, with the same id and body', async () => {
    const receiver = await WebhookReceiver.start();
    try {
      const webhook = await createWebhook(person, receiver.url);
      receiver.hang();
      await queueEvents(instances.app(), webhook.id, 20);
      await until(() => receiver.hangingCount === 2);
      const interrupted = [...receiver.received];
      receiver.answer(200);
      const revived = await instances.replace(instances.first);
      // What was not begun is sent; what was, when its lease is over.
      await until(() => new Set(receiver.received.map(idOf)).size === 20);
      expect(receiver.received).toHaveLength(20);
      await makeDue(instances.app(revived), webhook.id);
      await until(
        async () => (await count('webhook_deliveries', `status = 'succeeded' AND ${OWN_WEBHOOKS}`)) === 20,
      );
      for (const { headers, body } of interrupted) {
        const sent = receiver.received.filter((message) => idOf(message) === headers['webhook-id']);
        expect(sent.map((message) => message.body)).toEqual([body, body]);
      }
      expect(receiver.received).toHaveLength(22);
      expect(await count('webhook_deliveries', `attempts = 2 AND ${OWN_WEBHOOKS}`)).toBe(2);
    } finally {
      await receiver.close();
    }
  });
});

const idOf = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers['webhook-id'];
