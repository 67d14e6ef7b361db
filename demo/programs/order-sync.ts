import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface Order {
  readonly number: number;
  readonly address?: { readonly country: string };
}

/**
 * Hands the orders of the shop to its carrier, one after the other. Order 4127 has no address, which nobody has thought of: the program
 * crashes there, and at each further start.
 */
const CURSOR = process.env.CURSOR_FILE!;
/** Names the start that has handed over an order, which is then ready. */
const READY = process.env.READY_FILE!;
const PAUSE_MS = Number(process.env.PAUSE_MS);
const FIRST = 4_112;
const WITHOUT_ADDRESS = 4_127;

function readOrder(number: number): Order {
  const country = ['DE', 'FR', 'PL', 'ES'][number % 4]!;
  return number === WITHOUT_ADDRESS ? { number } : { number, address: { country } };
}

function labelFor(order: Order): string {
  return `${order.number}-${order.address!.country}`;
}

async function handOver(order: Order): Promise<void> {
  console.log(`Order ${order.number} is handed over as ${labelFor(order)}`);
  writeFileSync(READY, process.env.REPLICA_ID ?? '');
  await delay(PAUSE_MS);
}

for (let next = existsSync(CURSOR) ? Number(readFileSync(CURSOR, 'utf8')) : FIRST; ; next++) {
  writeFileSync(CURSOR, String(next));
  await handOver(readOrder(next));
}
