import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Connections, NoReplyError, type Reply, type Target } from './connections.js';
import type { Operation, Recorder } from './recorder.js';

const PASSWORD = 'Simulated-Fleet-7';
/** Lifetime of an access token is 30 minutes; it is renewed before. */
const TOKEN_AGE_MS = 20 * 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** Time within which a request must be answered; a later answer is a violation. */
const PATIENCE_MS = 120_000;

export interface Answered {
  readonly reply: Reply;
  /** Time of the first attempt; milliseconds since 1970. */
  readonly askedAt: number;
  readonly attempts: number;
}

/** A person who owns the fleet and calls as the dashboard does: each change carries an `Idempotency-Key`. */
export class Person {
  private readonly connections: Connections;
  private readonly target: Target;
  private readonly email = `fleet-${randomBytes(6).toString('hex')}@example.com`;
  private token = '';
  private tokenAt = 0;
  private ownId = '';

  /** @param replyMs how long a reply is waited for before it counts as lost; milliseconds */
  constructor(
    url: string,
    private readonly recorder: Recorder,
    private readonly replyMs: number,
  ) {
    this.target = url;
    this.connections = new Connections(replyMs);
  }

  get id(): string {
    return this.ownId;
  }

  async register(): Promise<void> {
    await this.enter('/auth/register', 201);
    this.ownId = (await this.get('/auth/me')).body.id;
  }

  /** @throws Error where the answer is not 200 */
  async get(path: string): Promise<Reply> {
    const { reply } = await this.persist('look', 'GET', path);
    if (reply.status !== 200)
      throw new Error(`GET ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply;
  }

  /** @throws Error where the answer is not 201 */
  async create(path: string, body: object): Promise<any> {
    const { reply } = await this.persist('enrol', 'POST', path, body);
    if (reply.status !== 201)
      throw new Error(`POST ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  /** Retries until there is a definite answer. After a 429, a 503 or no reply the same key makes a retry safe. */
  async persist(
    operation: Operation,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
  ): Promise<Answered> {
    const headers = method === 'POST' ? ['idempotency-key', randomUUID()] : [];
    const askedAt = Date.now();
    for (let attempts = 1; ; attempts++) {
      await this.freshen();
      const { phase } = this.recorder;
      let pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
      try {
        const reply = await this.send(method, path, body, headers);
        if (reply.status < 300) this.recorder.answered(operation, reply.tookMs);
        else this.recorder.failed(operation, String(reply.status), phase, reply.sentAt);
        // 409: the first attempt's transaction is still open; its client is gone.
        if (![409, 429, 503].includes(reply.status)) return { reply, askedAt, attempts };
        if (reply.retryAfter > 0) pauseMs = reply.retryAfter * 1_000;
      } catch (error) {
        if (!(error instanceof NoReplyError)) throw error;
        this.recorder.failed(operation, error.kind, phase, error.sentAt);
      }
      if (Date.now() - askedAt > PATIENCE_MS) {
        this.recorder.violated('a request was never answered', `${method} ${path}`);
        throw new Error(`${method} ${path} was not answered within ${PATIENCE_MS} ms`);
      }
      await delay(pauseMs * (1 + Math.random() / 2));
    }
  }

  close(): void {
    this.connections.dropAll();
  }

  private async freshen(): Promise<void> {
    if (this.token !== '' && Date.now() - this.tokenAt > TOKEN_AGE_MS) await this.enter('/auth/login', 200);
  }

  private async enter(path: string, status: number): Promise<void> {
    this.tokenAt = Date.now();
    const reply = await this.send('POST', path, { email: this.email, password: PASSWORD });
    if (reply.status !== status)
      throw new Error(`${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
    this.token = reply.body.access_token;
  }

  private send(method: 'GET' | 'POST', path: string, body?: object, headers: readonly string[] = []) {
    return this.connections.call({
      target: this.target,
      method,
      path,
      headers: this.token === '' ? headers : [...headers, 'authorization', `Bearer ${this.token}`],
      body,
      timeoutMs: this.replyMs,
    });
  }
}
