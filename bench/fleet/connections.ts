import { Agent, request as httpRequest } from 'node:http';

/** An instance of the service. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface Call {
  readonly target: Target;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly credential?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
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

/** There was no reply. What became of the request, nobody knows. */
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

export function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

/**
 * Connections that are kept alive, for any number of agents: a waiting poll holds one, shorter calls take turns on
 * a few. Written on `node:http` because thousands of waiting polls have to fit into one process.
 */
export class Connections {
  private pool = newPool();

  /** @throws NoReplyError */
  async call(call: Call): Promise<Reply> {
    const pool = this.pool;
    const sentAt = Date.now();
    try {
      return await send(call, pool, sentAt);
    } catch (error) {
      if (pool !== this.pool) throw new NoReplyError('dropped', sentAt);
      throw new NoReplyError(kindOf(error as SendError), sentAt);
    }
  }

  /** Cuts every connection, whatever is under way on it. */
  dropAll(): void {
    const dropped = this.pool;
    this.pool = newPool();
    dropped.destroy();
  }
}

interface SendError extends Error {
  code?: string;
  /** No byte of a reply came on a connection that had been used before. */
  onReusedConnection?: boolean;
}

function kindOf({ code, message, onReusedConnection }: SendError): string {
  if (onReusedConnection && (code === 'ECONNRESET' || code === 'EPIPE')) return 'stale';
  return code ?? message;
}

function newPool(): Agent {
  return new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 256, scheduling: 'lifo' });
}

function send(call: Call, pool: Agent, sentAt: number): Promise<Reply> {
  const begun = performance.now();
  const content = call.body === undefined ? undefined : JSON.stringify(call.body);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent: pool,
        host: call.target.host,
        port: call.target.port,
        method: call.method,
        path: call.path,
        headers: {
          ...(call.credential ? { authorization: `Bearer ${call.credential}` } : {}),
          ...(content === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
          ...call.headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.once('error', fail);
        response.once('end', () => {
          clearTimeout(timer);
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: Number(response.headers['retry-after'] ?? NaN),
            body: parsed(text),
            sentAt,
            receivedAt: Date.now(),
            tookMs: performance.now() - begun,
          });
        });
      },
    );
    const timer = setTimeout(() => request.destroy(new Error('timeout')), call.timeoutMs);
    function fail(error: Error): void {
      clearTimeout(timer);
      reject(error);
    }
    request.once('error', (error) =>
      fail(Object.assign(error, { onReusedConnection: request.reusedSocket })),
    );
    request.end(content);
  });
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
