import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { pool } from './limit-database.js';

interface Delivery {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly payload: string;
}

const senders = new Map<string, Pool>();

/** Sends one delivery, signed as Standard Webhooks wants it. @returns the status code */
async function send({ id, url, secret, payload }: Delivery): Promise<number> {
  const { origin, pathname } = new URL(url);
  let sender = senders.get(origin);
  if (!sender) senders.set(origin, (sender = new Pool(origin, { connections: 100 })));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64');
  const response = await sender.request({
    method: 'POST',
    path: pathname,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body: payload,
  });
  await response.body.dump();
  return response.statusCode;
}

/**
 * Sends all due deliveries: workers claim batches, send and record them. A claim does not wait for the disk, like the
 * service's.
 */
export async function deliverAll(workers: number, batch: number): Promise<object> {
  await Promise.all(Array.from({ length: workers }, () => work(batch)));
  return {};
}

async function work(batch: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<Delivery>({
      name: 'claim',
      text: `WITH commit AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        UPDATE webhook_deliveries AS delivery
        SET attempts = attempts + 1, is_leased = true, next_attempt_at = now() + interval '60 seconds'
        FROM (SELECT id FROM webhook_deliveries WHERE next_attempt_at <= now() AND NOT is_leased
              ORDER BY webhook_id, next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED) AS due, commit, webhooks AS webhook
        WHERE delivery.id = due.id AND webhook.id = delivery.webhook_id
        RETURNING delivery.id, webhook.url, webhook.secret, delivery.payload`,
      values: [batch],
    });
    if (rows.length === 0) return;
    const statuses = await Promise.all(rows.map(send));
    await pool.query({
      name: 'record',
      text: `UPDATE webhook_deliveries AS delivery
        SET status = 'succeeded', status_code = attempt.code, next_attempt_at = NULL, is_leased = false,
          delivered_at = now()
        FROM unnest($1::uuid[], $2::int[]) AS attempt (id, code) WHERE delivery.id = attempt.id`,
      values: [rows.map(({ id }) => id), statuses],
    });
  }
}
