import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { guardConnections } from './guard-connections.js';

setFlagsFromString('--expose-gc');
setFlagsFromString('--allow-natives-syntax');
const collectGarbage = runInNewContext('gc') as () => void;
const isNoHashTable = runInNewContext('(value) => %HasFastProperties(value)') as (value: object) => boolean;

/** More than V8 waits for before it decides, so one collection comes just before it does. */
const REQUESTS = 10;

/**
 * Sends one request after the other to a server with classes of its own, and collects the heap after each.
 *
 * @returns whether the objects of the last one have a layout, or are hash tables
 */
async function lastOf(guard: (server: Server) => void): Promise<Record<'request' | 'response', boolean>> {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  const classes = {
    IncomingMessage: Request,
    ServerResponse: Response,
  };
  const last = { request: false, response: false };
  const server = createServer(classes, (request, response) => {
    Object.assign(last, { request: isNoHashTable(request), response: isNoHashTable(response) });
    response.end('ok');
  });
  guard(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  for (let sent = 0; sent < REQUESTS; sent++) {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await (await fetch(url, { headers: { connection: 'close' } })).text();
    // until nothing of the exchange is left in a queue
    while ((await connectionsOf(server)) > 0) await nextTurn();
    await nextTurn();
    collectGarbage();
  }
  server.close();
  return last;
}

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))();

it('Requests keep a layout although nothing of the ones before is left when V8 decides on it', async () => {
  expect(await lastOf(guardConnections)).toEqual({ request: true, response: true });
});

it('V8 makes hash tables of them on a server that holds none', async () => {
  expect(await lastOf(() => undefined)).toEqual({ request: false, response: false });
});
