import { execFileSync } from 'node:child_process';
import { startChildService } from '../harness/child-service.js';
import { startChildWeb } from '../harness/child-web.js';

/**
 * Collects the heap when all is quiet after a reply, and prints what V8 knows of the objects of `process.nextTick` in the
 * end: a shape for each property that it adds to them, or that it saw too many (`MEGAMORPHIC`).
 */
const PROBE = `
  import { subscribe } from 'node:diagnostics_channel';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  globalThis.collectGarbage = runInNewContext('gc');
  subscribe('http.server.response.finish', () => setTimeout(collectGarbage));
  process.on('exit', () => {
    setFlagsFromString('--allow-natives-syntax');
    const known = new Function('called', 'return %GetFeedback(called)')(process.nextTick);
    const added = known.filter((slot) => slot?.[0] === 'DefineKeyedOwnPropertyInLiteral');
    console.log('properties of ticks:', added.map(([, state]) => state).join(' '));
  });`;

const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PROBE)}`;

/** V8 notes nothing of the first eight calls of a function. */
const REQUESTS = 20;

const KEPT = /properties of ticks:( MONOMORPHIC)+$/m;
const FORGOTTEN = /properties of ticks:.* MEGAMORPHIC/;

async function sendRequests(url: string): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent++) {
    await (await fetch(url, { headers: { connection: 'close' } })).text();
  }
}

// See src/http-server/held-tick.ts.
it('The service has V8 keep the shapes of ticks', async () => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/none';
  const service = await startChildService({ DATABASE_URL, LOG_LEVEL: 'fatal', NODE_OPTIONS });
  await sendRequests(service.url);
  await service.end('SIGTERM');
  expect(service.output()).toMatch(KEPT);
});

it('The web server has V8 keep the shapes of ticks', async () => {
  const web = await startChildWeb({ SERVICE_URL: 'http://127.0.0.1:1', NODE_OPTIONS });
  await sendRequests(web.url);
  await web.end();
  expect(web.output()).toMatch(KEPT);
});

it('V8 forgets the shapes of ticks in a process that holds none', () => {
  const program = `
    import { setImmediate as nextTurn } from 'node:timers/promises';
    for (let made = 0; made < ${REQUESTS}; made++) {
      process.nextTick(() => undefined);
      await nextTurn();
      collectGarbage();
    }`;
  const env = { PATH: process.env.PATH, NODE_OPTIONS };
  const options = ['--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, options, { encoding: 'utf8', env })).toMatch(FORGOTTEN);
});
