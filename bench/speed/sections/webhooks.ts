import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { callJson } from '../json-calls.js';
import type { Program } from '../program.js';
import { seedWebhooks, startReceiver } from '../receiver.js';
import { atLeast, type Sample, type Section } from '../section.js';

const CHECK_MS = 20;
const TIMEOUT_MS = 300_000;
/** The dispatcher looks by itself: it gets no news of rows that others have written. */
const SETTINGS = { WEBHOOK_POLL_INTERVAL_MS: '50' };

export const webhooks: Section = {
  name: 'webhooks',
  asks: 'a queue of 20,000 deliveries to ten webhooks, until all are sent, signed and recorded; a local receiver',
  async contenders(bench) {
    await seedWebhooks(bench, await startReceiver(bench, true));
    const limit = await bench.limit('node-http');
    return [
      {
        name: 'service',
        // Each measurement has its own process: a shared one would send the deliveries queued for the others.
        async measure() {
          const service = await bench.service(SETTINGS);
          const empty = () => emptyingQueue(bench, bench.sizes.deliveries, service, () => untilSent(bench));
          // A process that has just started compiles its code for a second; the limit's is the same for all rounds.
          await empty();
          const sample = await empty();
          await service.stop();
          return sample;
        },
      },
      {
        name: 'batches',
        measure: () =>
          emptyingQueue(bench, bench.sizes.deliveries, limit, () =>
            callJson(`${limit.url}/deliveries`, { method: 'POST', body: { workers: 2, batch: 100 } }),
          ),
      },
    ];
  },
  targets: [atLeast(0.5, 'service', 'batches')],
};

/** Queues deliveries, and measures until they are sent. */
async function emptyingQueue(
  bench: Bench,
  deliveries: number,
  program: Program,
  sent: () => Promise<unknown>,
): Promise<Sample> {
  await bench.database.query('TRUNCATE webhook_deliveries');
  await bench.database.query(
    `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_attempt_at)
     SELECT webhook.id, 'deployment.ready', $2, now()
     FROM generate_series(1, $1::int / (SELECT count(*)::int FROM webhooks)) CROSS JOIN webhooks AS webhook`,
    [deliveries, JSON.stringify({ type: 'deployment.ready', data: { text: 'x'.repeat(600) } })],
  );
  const before = await program.usage();
  const begunAt = performance.now();
  await sent();
  const seconds = (performance.now() - begunAt) / 1_000;
  const after = await program.usage();
  return {
    perSecond: deliveries / seconds,
    cpuMs: (after.cpuMs - before.cpuMs) / deliveries,
    allocatedBytes: (after.allocatedBytes - before.allocatedBytes) / deliveries,
    memoryBytes: after.memoryBytes,
  };
}

async function untilSent({ database }: Bench): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [row] = await database.query<{ waits: boolean }>(
      'SELECT EXISTS (SELECT FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL) AS waits',
    );
    if (!row!.waits) return;
    if (performance.now() > end) throw new Error('The service does not empty its queue of deliveries');
    await delay(CHECK_MS);
  }
}
