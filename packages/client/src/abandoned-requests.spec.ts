import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createServiceClient } from './service-client.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** With turns of the event loop for finalizers. */
async function collectAll(): Promise<void> {
  collectGarbage();
  await delay(5);
}

describe('A request that waits for long', () => {
  let server: Server;
  let baseUrl: string;
  let asked: () => void;
  const isAsked = () => new Promise<void>((resolve) => (asked = resolve));

  beforeAll(async () => {
    // it never answers
    server = createServer(() => asked());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('can still be aborted after a garbage collection', async () => {
    const service = createServiceClient({ baseUrl, credentials: 'key', retries: 0, timeoutMs: 0 });
    const caller = new AbortController();
    const arrived = isAsked();
    const call = service.GET('/agents/commands', { signal: caller.signal });
    await arrived;
    await collectAll();
    caller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('still has its time limit after a garbage collection', async () => {
    const service = createServiceClient({ baseUrl, credentials: 'key', retries: 0, timeoutMs: 1_000 });
    const arrived = isAsked();
    const call = service.GET('/agents/commands');
    // where a machine is so slow that the time is over first, there is nothing to wait for any more
    await Promise.race([arrived, call.catch(() => undefined)]);
    await collectAll();
    await expect(call).rejects.toMatchObject({ name: 'UnreachableError' });
  });
});
