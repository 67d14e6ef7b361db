import { jest } from '@jest/globals';
import { NameResolver } from '../../src/webhooks/name-resolver.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';
import type { Person } from './people.js';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DEADLOCK = '40P01';

export interface TestWebhook {
  readonly id: string;
  readonly secret: string;
}

/** Receivers are on this machine, and every wait is as short as possible. */
export const WEBHOOK_SETTINGS = {
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  WEBHOOK_POLL_INTERVAL_MS: '50',
  // Longer than any test: attempts end by a timeout only in the tests about it.
  WEBHOOK_TIMEOUT_SECONDS: '60',
  DRAIN_TIMEOUT_SECONDS: '1',
};

/** Makes names resolve to nothing: no name server is asked, and nothing is sent to the examples' addresses. */
export function stayOffTheNet(app: TestApp): void {
  const failure = Object.assign(new Error('There is no network in tests'), { code: 'ENOTFOUND' });
  jest.spyOn(app.app.get(NameResolver), 'resolve').mockRejectedValue(failure);
}

export async function createWebhook(person: Person, url: string, body: object = {}): Promise<TestWebhook> {
  const reply = await person.api.post('/webhooks/', { url, ...body });
  if (reply.status !== 201)
    throw new Error(`Creation answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return { id: reply.body.id, secret: reply.body.secret };
}

/** Lists deliveries, newest first. */
export async function deliveriesOf(person: Person, webhookId: string, query = ''): Promise<any[]> {
  const reply = await person.api.get(`/webhooks/${webhookId}/deliveries?limit=500${query}`);
  if (reply.status !== 200)
    throw new Error(`The list answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Waits until the webhook's queue is empty, including retries. */
export async function settled(person: Person, webhookId: string): Promise<any[]> {
  return until(async () => {
    const deliveries = await deliveriesOf(person, webhookId);
    return deliveries.every(({ status }) => status !== 'pending') && deliveries;
  });
}

/** Waits until this many attempts of the webhook's latest delivery have ended. */
export async function attempted(app: TestApp, person: Person, webhookId: string, attempts = 1): Promise<any> {
  return until(async () => {
    const [row] = await app.database.query<{ isOver: boolean }>(
      `SELECT attempts = $2 AND NOT is_leased AS "isOver" FROM webhook_deliveries
       WHERE webhook_id = $1 ORDER BY id DESC LIMIT 1`,
      [webhookId, attempts],
    );
    return row?.isOver && (await deliveriesOf(person, webhookId))[0];
  });
}

/** Events of the kind `agent.created`, written by the service and copied, which is faster than as many requests. */
export async function queueEvents(app: TestApp, webhookId: string, count: number): Promise<void> {
  await app.database.query(
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_attempt_at)
     SELECT $1, 'agent.created', replace($3, '#', number::text), now() FROM generate_series(1, $2::int) AS number`,
    [webhookId, count, agentCreated('#')],
  );
}

function agentCreated(name: string): string {
  const id = '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d';
  const at = '2026-01-31T09:30:00.000Z';
  const unknown = { description: null, version: null, hostname: null, platform: null };
  const own = {
    id,
    agent_id: id,
    user_id: id,
    project_id: id,
    type: 'custom',
    status: 'creating',
    created_at: at,
    updated_at: at,
  };
  const agent = { ...own, ...unknown, name };
  return JSON.stringify({ type: 'agent.created', timestamp: at, data: { agent, agent_url: null } });
}

/** Makes all waiting messages due, retries and leased ones included. */
export async function makeDue(app: TestApp, webhookId: string): Promise<void> {
  const statement =
    'UPDATE webhook_deliveries SET next_attempt_at = now() WHERE webhook_id = $1 AND next_attempt_at IS NOT NULL';
  await until(() =>
    app.database.query(statement, [webhookId]).catch((error: unknown) => {
      // The service locks the rows in another order.
      if ((error as { code?: string }).code !== DEADLOCK) throw error;
      return false;
    }),
  );
}
