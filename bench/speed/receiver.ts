import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bench } from './bench.js';

/**
 * Starts a receiver of webhooks in this process; it ends with the section.
 *
 * @param answers whether it answers at all
 * @returns its address
 */
export async function startReceiver(bench: Bench, answers: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (answers) request.on('end', () => response.writeHead(200, { 'Content-Length': 0 }).end());
  });
  // The receiver never closes an idle connection first: the sender may be about to use it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  bench.atEndOfSection(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

/** One webhook of each user, for all events. @returns how many */
export async function seedWebhooks(bench: Bench, url: string): Promise<number> {
  const webhooks = await bench.database.query(
    `INSERT INTO webhooks (id, user_id, url, events, is_active, secret)
     SELECT uuidv7(), id, $1, '{*}', true, 'whsec_' || encode(sha256(id::text::bytea), 'base64') FROM bench_users
     RETURNING id`,
    [url],
  );
  bench.atEndOfSection(() => bench.database.query('TRUNCATE webhooks, webhook_deliveries'));
  return webhooks.length;
}
