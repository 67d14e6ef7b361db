// The conformance suite of the Model Context Protocol against POST /mcp of the built service. It fails for a scenario that fails and
// is not in expected-failures.yaml, and for one of that file that does not fail any more.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { withBuiltService } from '../../scripts/built-service.mjs';
import { Problem } from '../../scripts/project.mjs';

const here = import.meta.dirname;
/** Ends a suite that hangs; it takes seconds. */
const PATIENCE_MS = 300_000;

/** @returns the access token of a new person */
async function register(url) {
  const response = await fetch(`${url}/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'conformance@example.com', password: 'Correct-horse-7' }),
  });
  if (response.status !== 201)
    throw new Problem(`Registration answered ${response.status}: ${await response.text()}`);
  return (await response.json()).access_token;
}

/** The suite can send no credential: a server between the two adds it, and passes on everything else unchanged. */
async function withCredential(url, token, play) {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const onwards = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode, reply.headers);
      reply.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onwards.destroy());
    incoming.pipe(onwards);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await play(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function runSuite(url) {
  const suite = spawn(
    join(here, 'node_modules/.bin/conformance'),
    ['server', '--url', `${url}/mcp`, '--expected-failures', join(here, 'expected-failures.yaml')],
    { stdio: ['ignore', 'inherit', 'inherit'], timeout: PATIENCE_MS },
  );
  const [code] = await once(suite, 'exit');
  if (code !== 0) throw new Problem(`The suite ended with ${code}`);
}

await withBuiltService(async (url) => withCredential(url, await register(url), runSuite));
