import { Client, type Dispatcher, type errors } from 'undici';

/** The address of an instance of the service: `http://127.0.0.1:8000`. */
export type Target = string;

export interface Call {
  readonly target: Target;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Names and values in turns, without those of the body. */
  readonly headers: readonly string[];
  readonly body?: unknown;
  /** Time until the reply's headers; connecting may take as long again. */
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  /** Seconds; NaN where the header is absent or no number. */
  readonly retryAfter: number;
  readonly body: any;
  /** Milliseconds since 1970, true time: on one machine they compare with the database's. */
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly tookMs: number;
}

/** A request without a reply. Whether it was carried out is unknown. */
export class NoReplyError extends Error {
  /**
   * @param kind `timeout`; `dropped`: by {@link Connections.dropAll}; `stale`: the kept connection was just being
   *   closed by the other side, as any client may meet it; else the code that Node gives
   */
  constructor(
    readonly kind: string,
    readonly sentAt: number,
  ) {
    super(kind);
  }
}

const CONTENT_TYPE = ['content-type', 'application/json'];
/** Idle connections kept for each instance; others are closed after their reply. */
const KEPT_IDLE = 256;
const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Connections that are kept alive, for any number of agents: a waiting poll holds one, shorter calls take turns on
 * a few, the last used first. An undici `Client` is one connection; its `Pool` looks through all of them for each call,
 * which thousands of waiting polls make expensive, and `node:http` takes twice the CPU for a call.
 */
export class Connections {
  private idle = new Map<Target, Client[]>();
  private readonly all = new Set<Client>();
  private readonly connected = new WeakSet<Client>();

  /** Calls that wait until a connection may be opened. */
  private readonly waiting: (() => void)[] = [];

  /**
   * @param connectMs how long connecting may take; milliseconds
   * @param maximum connections at once. Real agents have a machine each; here all of them share the open files of one
   *   process, and after an outage each has a poll, a heartbeat, logs and metrics to send. A call that waits for its
   *   turn has not begun, so no duration includes the wait.
   */
  constructor(
    private readonly connectMs: number,
    private readonly maximum = Infinity,
  ) {}

  /** @throws NoReplyError */
  async call(call: Call): Promise<Reply> {
    while (this.all.size >= this.maximum && this.idleAt(call.target).length === 0) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    const { idle } = this;
    const client = this.idleAt(call.target).pop() ?? this.open(call.target);
    const isReused = this.connected.has(client);
    const reader = new ReplyReader();
    try {
      const content = call.body === undefined ? undefined : JSON.stringify(call.body);
      const options: Dispatcher.DispatchOptions = {
        method: call.method,
        path: call.path,
        headers: content === undefined ? [...call.headers] : [...call.headers, ...CONTENT_TYPE],
        body: content,
        headersTimeout: call.timeoutMs,
        bodyTimeout: call.timeoutMs,
      };
      client.dispatch(options, reader);
      const reply = await reader.reply;
      this.release(client, call.target);
      return reply;
    } catch (error) {
      this.all.delete(client);
      // The file descriptor of the connection is free again once that is closed.
      void client.destroy().finally(() => this.waiting.shift()?.());
      const isDropped = idle !== this.idle;
      throw new NoReplyError(isDropped ? 'dropped' : kindOf(error as Failure, isReused), reader.sentAt);
    }
  }

  /** Cuts every connection, whatever is under way on it. */
  dropAll(): void {
    this.idle = new Map();
    for (const client of this.all) void client.destroy().finally(() => this.waiting.shift()?.());
    this.all.clear();
  }

  private idleAt(target: Target): Client[] {
    let clients = this.idle.get(target);
    if (!clients) this.idle.set(target, (clients = []));
    return clients;
  }

  private open(target: Target): Client {
    const client = new Client(target, { connectTimeout: this.connectMs, pipelining: 1 });
    client.on('connect', () => this.connected.add(client));
    client.on('disconnect', () => this.connected.delete(client));
    this.all.add(client);
    return client;
  }

  private release(client: Client, target: Target): void {
    if (!this.all.has(client)) return;
    const idle = this.idleAt(target);
    if (idle.length < KEPT_IDLE) {
      idle.push(client);
      this.waiting.shift()?.();
      return;
    }
    this.all.delete(client);
    void client.close().finally(() => this.waiting.shift()?.());
  }
}

/** Collects one reply. Streams, and promises for each part, would cost more than the rest of a call. */
class ReplyReader implements Dispatcher.DispatchHandler {
  readonly sentAt = Date.now();
  readonly reply: Promise<Reply>;
  private readonly begun = performance.now();
  private status = 0;
  private retryAfter = NaN;
  private text = '';
  private resolve: (reply: Reply) => void = () => undefined;
  private reject: (error: Error) => void = () => undefined;

  constructor() {
    this.reply = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  onRequestStart(): void {
    // undici takes a handler without it for one of its former kind
  }

  onResponseStart(_: unknown, status: number, headers: Readonly<Record<string, unknown>>): void {
    this.status = status;
    this.retryAfter = Number(headers['retry-after'] ?? NaN);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    // no reply that matters here is cut within a character: all of them are ASCII
    this.text += chunk.toString('utf8');
  }

  onResponseEnd(): void {
    const { status, retryAfter, text, sentAt } = this;
    const tookMs = performance.now() - this.begun;
    this.resolve({ status, retryAfter, body: parsed(text), sentAt, receivedAt: Date.now(), tookMs });
  }

  onResponseError(_: unknown, error: Error): void {
    this.reject(error);
  }
}

type Failure = Error & Partial<Pick<errors.UndiciError, 'code'>>;

function kindOf({ code, message }: Failure, isReused: boolean): string {
  if (code !== undefined && TIMEOUTS.has(code)) return 'timeout';
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
  if (isClosed) return isReused ? 'stale' : 'ECONNRESET';
  return code ?? message;
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
