import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Outbox } from '@agent-control-plane/client/internal/runtime/outbox';
import type { ServiceLink } from '@agent-control-plane/client/internal/runtime/service-link';
import { ExportQueue } from './export-queue.js';
import { LossNotices } from './loss-notices.js';
import {
  JSON_TYPE,
  OTLP_SIGNALS,
  type OtlpExport,
  type OtlpSignal,
  type OtlpType,
  PROTOBUF_TYPE,
} from './otlp-export.js';
import { listenAt, type RelayAddress, urlOf } from './relay-address.js';

/** The service takes no more for any signal, and inflates it first. */
const LARGEST_BODY_BYTES = 8 * 1024 * 1024;
/** Bodies that are being read, of all requests together. */
const LARGEST_READING_BYTES = 32 * 1024 * 1024;
/** A whole request comes over loopback within this time. */
const REQUEST_TIMEOUT_MS = 30_000;

/** A reply to an exporter that is no success. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Takes OTLP over HTTP from the agent's own processes, and sends it on with the agent's key, which they do not have. An
 * exporter gets its reply when the export is in the queue: a program that ends does not wait for the service.
 */
export class OtlpRelay {
  private readonly queues: Readonly<Record<OtlpSignal, ExportQueue>> = {
    traces: new ExportQueue(),
    logs: new ExportQueue(),
    metrics: new ExportQueue(),
  };
  private readonly server: Server;
  private address!: RelayAddress;
  /** Number of requests that are being read. */
  private open = 0;
  private readingBytes = 0;
  private idle: (() => void)[] = [];

  private constructor(requestTimeoutMs: number) {
    const requestTimeout = requestTimeoutMs;
    // The default looks at the times of requests every 30 seconds only.
    const connectionsCheckingInterval = Math.ceil(requestTimeoutMs / 6);
    this.server = createServer({ requestTimeout, connectionsCheckingInterval }, (request, response) => {
      void this.answer(request, response);
    });
  }

  /**
   * @param addressFile outlives the runner, as its processes may
   * @param limits.requestTimeoutMs time within which a whole request has to come
   * @throws the system's error if it can't listen
   */
  static async listen(
    addressFile: string,
    { requestTimeoutMs } = { requestTimeoutMs: REQUEST_TIMEOUT_MS },
  ): Promise<OtlpRelay> {
    const relay = new OtlpRelay(requestTimeoutMs);
    relay.address = await listenAt(relay.server, addressFile);
    return relay;
  }

  /** The `OTEL_EXPORTER_OTLP_ENDPOINT` of the agent's processes. */
  get endpoint(): string {
    return urlOf(this.address);
  }

  /** @param tell reports lost telemetry to people */
  outbox(link: ServiceLink, tell: (message: string) => void): Outbox {
    const notices = new LossNotices(tell);
    const queues = OTLP_SIGNALS.map((name) => [name, this.queues[name]] as const);
    return {
      run: async (signal) => {
        const runs = queues.map(([name, queue]) =>
          queue.run(link, signal, (loss) => notices.add(name, loss)),
        );
        await Promise.all(runs);
      },
      flushed: async () => {
        // the last export of a process that has ended may not be read yet
        while (this.open > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
        await Promise.all(queues.map(([, queue]) => queue.flushed()));
      },
    };
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const signal = this.signalOf(request);
      const type = typeOf(request);
      const isCompressed = isGzip(request);
      const body = await this.read(request);
      const idempotencyKey = request.headers['idempotency-key']?.toString() || randomUUID();
      this.take({ signal, body, type, isCompressed, idempotencyKey });
      response.writeHead(200, { 'Content-Type': type }).end(type === JSON_TYPE ? '{}' : '');
    } catch (error) {
      if (error instanceof Refusal) refuse(request, response, error);
      // otherwise the program has gone before its request was here
      else response.destroy();
    }
  }

  private take(sent: OtlpExport): void {
    // an empty message has no entries
    if (sent.body.length > 0) this.queues[sent.signal].push(sent);
  }

  /** @throws Refusal */
  private signalOf({ method, url = '' }: IncomingMessage): OtlpSignal {
    const [, token = '', version, name, ...more] = url.split('?', 1)[0]!.split('/');
    if (!isEqual(token, this.address.token))
      throw new Refusal(403, 'Only processes that svc run has started may send here');
    const signal = OTLP_SIGNALS.find((it) => it === name);
    if (version !== 'v1' || !signal || more.length > 0)
      throw new Refusal(404, 'Telemetry is sent to /v1/traces, /v1/logs and /v1/metrics');
    if (method !== 'POST') throw new Refusal(405, 'Telemetry is sent with POST');
    return signal;
  }

  /** @throws Refusal; the error of a request that breaks off */
  private async read(request: IncomingMessage): Promise<Buffer> {
    let chunks: Buffer[] = [];
    /** Bytes that are in memory, which count in `readingBytes` until the request is over. */
    let bytes = 0;
    let refusal: Refusal | undefined;
    this.open += 1;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        // the rest is read too, because an exporter reads no reply before it has sent everything
        if (refusal) continue;
        chunks.push(chunk);
        bytes += chunk.length;
        this.readingBytes += chunk.length;
        refusal = this.refusalOf(bytes);
        if (refusal) {
          this.readingBytes -= bytes;
          bytes = 0;
          chunks = [];
        }
      }
      if (refusal) throw refusal;
      return Buffer.concat(chunks);
    } finally {
      this.readingBytes -= bytes;
      this.open -= 1;
      if (this.open === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  /** @param bytes of one body that are here */
  private refusalOf(bytes: number): Refusal | undefined {
    if (bytes > LARGEST_BODY_BYTES)
      return new Refusal(
        413,
        `An export may have ${LARGEST_BODY_BYTES} bytes; lower the exporter's batch size`,
      );
    if (this.readingBytes > LARGEST_READING_BYTES)
      return new Refusal(503, 'Too much is being sent at once; it may be sent again in a second');
    return undefined;
  }
}

function isEqual(one: string, other: string): boolean {
  const [bytes, expected] = [Buffer.from(one), Buffer.from(other)];
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** @throws Refusal */
function typeOf({ headers }: IncomingMessage): OtlpType {
  const type = headers['content-type']?.split(';', 1)[0]!.trim().toLowerCase();
  if (type === JSON_TYPE || type === PROTOBUF_TYPE) return type;
  throw new Refusal(415, `OTLP over HTTP is ${PROTOBUF_TYPE} or ${JSON_TYPE}`);
}

/** @throws Refusal */
function isGzip({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === 'gzip') return encoding === 'gzip';
  throw new Refusal(415, 'A body may be compressed with gzip, and in no other way');
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, message }: Refusal): void {
  request.resume();
  const headers = {
    'Content-Type': JSON_TYPE,
    Connection: 'close',
    ...(status === 503 && { 'Retry-After': '1' }),
  };
  response.writeHead(status, headers).end(JSON.stringify({ message }));
}
