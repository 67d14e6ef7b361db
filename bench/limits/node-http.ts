import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { comparePassword } from './bcrypt.js';
import { deliverAll } from './deliveries.js';
import { heartbeat } from './heartbeats.js';
import { hello } from './hello.js';
import { listAgents, listEvents, showAgent } from './reads.js';
import { storeLogs, storeMetrics, storeSpans } from './telemetry.js';
import { type Step, takeStep } from './transitions.js';

/**
 * Upper bound of Node and PostgreSQL on this machine: `node:http` and `pg` alone, on the service's tables. It believes its
 * caller: `X-Id` names the person or the agent, and nothing is checked.
 */

type Handler = (request: IncomingMessage, id: string, subject: string) => string | Promise<string>;

/** Handlers by method and first segment of the path; `subject` is the next segment. */
const handlers: Readonly<Record<string, Handler>> = {
  'GET /': (request) => JSON.stringify(hello(request.headers.host)),
  'GET /ready': () => '{"status":"ready"}',
  'GET /commands': () => '{"commands":[]}',
  'GET /wait': () => new Promise((resolve) => setTimeout(resolve, 60_000, '{"commands":[]}')),
  'GET /agents': (_, userId) => listAgents(userId),
  'GET /agent': (_, userId, agentId) => showAgent(userId, agentId),
  'GET /events': (_, userId, deploymentId) => listEvents(userId, deploymentId),
  'POST /bcrypt': written((_, { password, hash }: { password: string; hash: string }) =>
    comparePassword(password, hash),
  ),
  'POST /deliveries': written((_, { workers, batch }: { workers: number; batch: number }) =>
    deliverAll(workers, batch),
  ),
  'POST /step': written((_, step: Step) => takeStep(step)),
  'POST /heartbeat': written((id, body: { status: string }) => heartbeat({ agentId: id, ...body })),
  'POST /logs': written((id, { logs }: { logs: [] }) => storeLogs({ agentId: id, entries: logs })),
  'POST /metrics': written((id, { metrics }: { metrics: [] }) =>
    storeMetrics({ agentId: id, entries: metrics }),
  ),
  'POST /spans': written((id, { runId, spans }: { runId: string; spans: [] }) =>
    storeSpans({ agentId: id, runId, entries: spans }),
  ),
};

function written<Body>(write: (id: string, body: Body) => Promise<object>): Handler {
  return async (request, id) => JSON.stringify(await write(id, JSON.parse(await bodyOf(request)) as Body));
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve((chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString()));
    request.on('error', reject);
  });
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

const server = createServer((request, response) => {
  const [, path = '', subject = ''] = request.url!.split('/');
  const handler = handlers[`${request.method} /${path}`];
  if (!handler) return send(response, 404, '{}');
  void Promise.resolve(handler(request, request.headers['x-id'] as string, subject)).then(
    (body) => send(response, 200, body),
    (error: Error) => send(response, 500, JSON.stringify({ error: error.message })),
  );
});
server.listen({ port: Number(process.env.PORT), host: process.env.HOST, backlog: 16_384 });
