import { setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Database } from './database/database.js';
import { Drain } from './http/drain.js';
import type { SharedPort } from './http-server/shared-port.js';

/** Time after the drain time, and after the loss of the database, for which the end is awaited. */
const MARGIN_MS = 3_000;
const LOOK_MS = 50;

/**
 * Closes the application. `/ready` returns 503 at once, and all requests are served as usual for `delayMs`. Then
 * requests under way are answered within the drain time, and the connections of unfinished ones are closed after it.
 * The end does not wait for a database that is down or hangs, because nothing can be finished without it.
 *
 * @param port undefined: it does not listen yet
 * @param times.delayMs time in which load balancers notice
 * @returns a description of the part that has not ended in time; undefined if all have
 * @throws errors of a module that ends
 */
export async function closeInTime(
  app: NestExpressApplication,
  port: SharedPort | undefined,
  { delayMs, drainMs }: { readonly delayMs: number; readonly drainMs: number },
): Promise<string | undefined> {
  const database = app.get(Database);
  const drain = app.get(Drain);
  drain.announce();
  port?.endConnectionsAfterReply();
  const servedUntil = performance.now() + delayMs;
  while (port && database.state === 'ready' && performance.now() < servedUntil) await delay(LOOK_MS);
  const begunAt = performance.now();
  let awaySince: number | undefined;
  let isServing = true;
  drain.begin();
  const closing = Promise.resolve(port?.close()).then(() => {
    isServing = false;
    return app.close();
  });
  const closed = closing.then(
    () => true,
    () => true,
  );
  for (;;) {
    if (await Promise.race([closed, delay(LOOK_MS, false)])) break;
    const now = performance.now();
    port?.closeIdleConnections();
    if (now - begunAt >= drainMs) port?.closeAllConnections();
    awaySince = database.state === 'ready' ? undefined : (awaySince ?? now);
    const isLate = now - begunAt >= drainMs + MARGIN_MS || now - (awaySince ?? now) >= MARGIN_MS;
    if (isLate) return whatIsOpen(isServing ? port : undefined, database);
  }
  await closing;
  return undefined;
}

/**
 * Waits for work, up to a time limit. @returns true if it has ended in time @throws errors of the work within that time
 */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(milliseconds, false, { signal: patience.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    patience.abort();
  }
}

/**
 * Names the first part that is still open: the HTTP server ends first, then background work, then the database's
 * connections.
 */
async function whatIsOpen(port: SharedPort | undefined, database: Database): Promise<string> {
  const state = database.state === 'ready' ? '' : ` (the database is ${database.state})`;
  return port ? `${await port.countConnections()} requests${state}` : `background work${state}`;
}
