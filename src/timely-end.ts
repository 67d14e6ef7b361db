import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Database } from './database/database.js';
import { Drain } from './http/drain.js';

/** Beyond the drain time, and for as long after the database has gone: then nothing more is waited for. */
const MARGIN_MS = 3_000;
const LOOK_MS = 50;

/**
 * Closes the application: requests under way are answered within the drain time, and the connections of those that are
 * not are cut then. A database that is away or hangs is not waited for: without it nothing can be finished.
 *
 * @returns what has not ended in time; undefined when all has
 * @throws whatever a module throws when it ends
 */
export async function closeInTime(app: NestExpressApplication, drainMs: number): Promise<string | undefined> {
  const server: Server = app.getHttpServer();
  const database = app.get(Database);
  const begunAt = performance.now();
  let awaySince: number | undefined;
  app.get(Drain).begin();
  const closing = app.close();
  const closed = closing.then(
    () => true,
    () => true,
  );
  for (;;) {
    if (await Promise.race([closed, delay(LOOK_MS, false)])) break;
    const now = performance.now();
    server.closeIdleConnections();
    if (now - begunAt >= drainMs) server.closeAllConnections();
    awaySince = database.state === 'ready' ? undefined : (awaySince ?? now);
    const isLate = now - begunAt >= drainMs + MARGIN_MS || now - (awaySince ?? now) >= MARGIN_MS;
    if (isLate) return whatIsOpen(server, database);
  }
  await closing;
  return undefined;
}

/** Waits, but not for ever. @returns whether it has ended in time @throws whatever the work throws in time */
export async function endsWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  const late = delay(milliseconds, false, { signal: patience.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    patience.abort();
  }
}

/** Nest ends background work first, then the HTTP server, then the database's connections. */
async function whatIsOpen(server: Server, database: Database): Promise<string> {
  const state = database.state === 'ready' ? '' : ` (the database is ${database.state})`;
  if (server.listening) return `background work${state}`;
  const requests = await new Promise<number>((resolve) =>
    server.getConnections((_, count) => resolve(count ?? 0)),
  );
  return requests > 0 ? `${requests} requests${state}` : 'the connections to the database';
}
