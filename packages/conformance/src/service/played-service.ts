import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import type { Call, Outage, Route } from '../evidence.js';
import type { Answer } from './answer.js';
import { answerCall } from './answers.js';
import { type Fault, FaultPlan } from './faults.js';
import { PlayedApprovals } from './played-approvals.js';
import { PlayedQueue } from './played-queue.js';
import { PlayedRuns } from './played-runs.js';
import {
  type Conditions,
  type Deployment,
  type Identity,
  ORDINARY,
  type PlayedState,
} from './played-state.js';
import { errorBody, PROXY_PAGE, withNews } from './replies.js';
import { RequestSchemas } from './request-schemas.js';

/** Routes that accept an `Idempotency-Key`; it has no effect on others. */
const TAKES_KEY: ReadonlySet<Route> = new Set(['register', 'logs', 'metrics', 'claim', 'reports']);
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;
const MAXIMUM_BODY_BYTES = 1_048_576;
/** Time for which an idle connection is kept, the same as the service's; milliseconds. */
const KEEP_ALIVE_MS = 75_000;
const CUT_REPLY = '{"status": "ok", "commands": [{"comm';

/** The key has the length of a real one; agents don't parse it. */
export function newIdentity(): Identity {
  return { agentId: uuidv7(), key: `svc_agent_${randomBytes(54).toString('base64url')}` };
}

const ROUTE_OF: Readonly<Record<string, Route>> = {
  'POST /agents/register': 'register',
  'POST /agents/heartbeat': 'heartbeat',
  'GET /agents/commands': 'poll',
  'POST /agents/commands/acknowledge': 'acknowledge',
  'POST /agents/logs': 'logs',
  'POST /agents/metrics': 'metrics',
  'POST /agents/runs/claim': 'claim',
  'POST /agents/runs': 'reports',
  'POST /agents/approvals': 'ask',
};
/** Routes with an id in their path. */
const ROUTE_WITH_ID: readonly (readonly [RegExp, Route])[] = [
  [/^GET \/agents\/[^/]+\/status$/, 'status'],
  [/^GET \/agents\/approvals\/[^/]+$/, 'answer'],
  [/^POST \/agents\/approvals\/[^/]+\/withdraw$/, 'withdraw'],
];
const schemas = new RequestSchemas();

/** The service's side of the protocol for one agent, with all the faults that can be played. */
export class PlayedService implements PlayedState {
  readonly calls: Call[] = [];
  readonly faults = new FaultPlan();
  readonly queue: PlayedQueue;
  readonly runs: PlayedRuns;
  readonly approvals = new PlayedApprovals(() => this.queue.notify());
  readonly deployments = new Map<string, Deployment>();
  readonly intervals: { at: number; seconds: number }[] = [];
  readonly outages: Outage[] = [];
  /** The replies that were stored under each `Idempotency-Key`. */
  readonly batches = new Map<string, string>();
  readonly conditions: Conditions;
  /** Time since which the key is refused permanently; null while it is valid. */
  refusedAt: number | null = null;
  pollsEndedAt = -Infinity;
  /** Milliseconds since 1970. */
  readonly begunAt = Date.now();
  private readonly begun = performance.now();
  private server: Server | undefined;
  private port = 0;

  constructor(
    readonly identity: Identity,
    conditions: Partial<Conditions> = {},
  ) {
    this.conditions = { ...ORDINARY, ...conditions };
    this.queue = new PlayedQueue(this.conditions.leaseMs, () => this.now());
    this.runs = new PlayedRuns(
      () => this.now(),
      () => this.queue.notify(),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Milliseconds since the scenario began. */
  now(): number {
    return performance.now() - this.begun;
  }

  /** @param port 0 for any that is free; after an outage the same one is used again */
  async open(port = this.port): Promise<void> {
    this.server = createServer((request, response) => {
      void this.receive(request, response).catch(() => response.destroy());
    });
    this.server.keepAliveTimeout = KEEP_ALIVE_MS;
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    this.expectAgent();
  }

  /** Refuses the key from now on, as after its revocation. */
  refuseKey(): void {
    this.conditions.refusesKey = true;
    this.refusedAt = this.now();
    this.endPolls();
  }

  /** Answers every waiting poll, empty, so that the next one gets the changed state. */
  endPolls(): void {
    this.pollsEndedAt = this.now();
    this.queue.notify();
  }

  /** The agent's process is down until {@link expectAgent}. */
  excuseAgent(): void {
    this.outages.push({ from: this.now(), to: Infinity });
  }

  expectAgent(): void {
    const outage = this.outages.at(-1);
    if (outage?.to === Infinity) outage.to = this.now();
  }

  /** Simulates an outage: the port is closed, and so is every connection. */
  async goAway(): Promise<void> {
    this.outages.push({ from: this.now(), to: Infinity });
    await this.close();
  }

  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    this.queue.notify();
    await closed;
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= MAXIMUM_BODY_BYTES) chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString();
    const call = this.record(request, text);
    response.on('close', () => {
      if (response.writableFinished || call.trouble !== null) return;
      call.hungUp = true;
      call.endedAt = this.now();
      this.queue.notify();
    });
    const fault = this.faults.take(call);
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    const answer = await this.answer(call, {
      fault,
      isJson,
      isTooLarge: bytes > MAXIMUM_BODY_BYTES,
    });
    this.send(call, answer, fault, response);
  }

  /** The record of a call never contains the key. */
  private record(request: IncomingMessage, text: string): Call {
    const { key, agentId } = this.identity;
    const target = (request.url ?? '/').replaceAll(key, '<the key>');
    const { pathname, searchParams } = new URL(target, 'http://service');
    const line = `${request.method} ${pathname}`;
    const [, withId = 'unknown'] = ROUTE_WITH_ID.find(([pattern]) => pattern.test(line)) ?? [];
    const route = ROUTE_OF[line] ?? withId;
    const body = parsed(text.replaceAll(key, '<the key>'));
    const problems =
      body instanceof SyntaxError
        ? ['the body is no JSON']
        : schemas.problemsOf(route, request.method === 'GET' ? undefined : (body ?? {}), searchParams);
    const named = [searchParams.get('agent_id'), (body as { agent_id?: unknown } | undefined)?.agent_id];
    if (named.some((id) => typeof id === 'string' && id !== '' && id.toLowerCase() !== agentId)) {
      problems.push('agent_id is not the agent of the key');
    }
    const given = request.headers['idempotency-key']?.toString();
    if (given !== undefined && TAKES_KEY.has(route) && !PRINTABLE.test(given)) {
      problems.push('Idempotency-Key must be 1 to 255 printable characters');
    }
    const call: Call = {
      number: this.calls.length + 1,
      route,
      method: request.method ?? '',
      target,
      at: this.now(),
      body: body instanceof SyntaxError ? undefined : body,
      problems,
      showsKey: `${request.url}${text}${given ?? ''}`.includes(key),
      hasKey: request.headers.authorization === `Bearer ${key}`,
      idempotencyKey: given?.replaceAll(key, '<the key>') ?? null,
      status: null,
      reply: null,
      trouble: null,
      retryAfterMs: null,
      endedAt: null,
      hungUp: false,
    };
    this.calls.push(call);
    return call;
  }

  private async answer(
    call: Call,
    { fault, ...request }: { fault?: Fault; isJson: boolean; isTooLarge: boolean },
  ): Promise<Answer> {
    if (fault?.kind === 'refused') {
      const { status, retryAfterSeconds, message = 'Played by the conformance script' } = fault;
      return { status, message, retryAfterSeconds };
    }
    if (fault?.kind === 'page' || fault?.kind === 'cut') return { status: 200 };
    return answerCall(this, call, request);
  }

  private send(call: Call, answer: Answer, fault: Fault | undefined, response: ServerResponse): void {
    if (response.destroyed) return;
    call.endedAt = this.now();
    if (fault?.kind === 'lost') {
      call.trouble = 'the reply was lost';
      response.destroy();
      return;
    }
    const { conditions } = this;
    const requestId = uuidv7();
    response.setHeader('Date', new Date(Date.now() + conditions.skewMs).toUTCString());
    if (fault?.kind === 'page' || fault?.kind === 'cut') {
      const isPage = fault.kind === 'page';
      call.status = isPage ? fault.status : 200;
      call.trouble = isPage
        ? 'a page of a proxy came instead of an answer'
        : 'the answer ended in the middle';
      response.statusCode = call.status;
      if (isRedirect(call.status)) response.setHeader('Location', '/sign-in');
      response.setHeader('Content-Type', isPage ? 'text/html' : 'application/json; charset=utf-8');
      call.reply = isPage ? PROXY_PAGE : CUT_REPLY;
      response.end(call.reply);
      return;
    }
    call.status = answer.status;
    const { retryAfterSeconds } = answer;
    if (retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(retryAfterSeconds));
      call.retryAfterMs = retryAfterSeconds * 1_000;
    }
    if (answer.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    if (answer.isReplay) response.setHeader('Idempotency-Replayed', 'true');
    const body = answer.body ?? errorBody(answer.status, answer.message ?? 'Error', requestId, answer.field);
    response.statusCode = answer.status;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    call.reply = JSON.stringify(conditions.hasNews ? withNews(body) : body);
    response.end(call.reply);
    answer.whenSent?.();
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return new SyntaxError();
  }
}
