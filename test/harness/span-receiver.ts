import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** An exported span. */
export interface ReceivedSpan {
  readonly name: string;
  /** In hexadecimal, as in `traceparent`. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty if the span begins its trace. */
  readonly parentId: string;
  /** Attributes whose values are texts. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Ids of linked traces. */
  readonly linkedTraceIds: readonly string[];
  /** Attributes of the instance that exported it. */
  readonly resource: Readonly<Record<string, string>>;
}

/** An OpenTelemetry collector on this machine, which accepts spans over OTLP in Protocol Buffers. */
export class SpanReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The `Authorization` header of each export. */
  readonly authorizations: (string | undefined)[] = [];
  /** All received bytes, one character each. */
  text = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<SpanReceiver> {
    const server = createServer();
    const receiver = new SpanReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const isTraces = request.method === 'POST' && request.url === '/v1/traces';
        if (isTraces) receiver.take(Buffer.concat(chunks), request.headers.authorization);
        response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  /** The address for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace with a name. */
  named(name: string, traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name && span.traceId === traceId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** The numbers of fields are those of opentelemetry/proto/trace/v1/trace.proto. */
  private take(request: Buffer, authorization: string | undefined): void {
    this.text += request.toString('latin1');
    this.authorizations.push(authorization);
    for (const ofResource of partsOf(request)(1)) {
      const [resource = new Uint8Array()] = partsOf(ofResource)(1);
      for (const ofScope of partsOf(ofResource)(2)) {
        for (const span of partsOf(ofScope)(2)) {
          const part = partsOf(span);
          this.spans.push({
            name: textOf(part(5)),
            traceId: hexOf(part(1)),
            spanId: hexOf(part(2)),
            parentId: hexOf(part(4)),
            attributes: attributesOf(part(9)),
            linkedTraceIds: part(13).map((link) => hexOf(partsOf(link)(1))),
            resource: attributesOf(partsOf(resource)(1)),
          });
        }
      }
    }
  }
}

/** The texts, bytes and messages of a message, by the number of their field. */
function partsOf(message: Uint8Array): (field: number) => Uint8Array[] {
  const found = new Map<number, Uint8Array[]>();
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) found.set(field, [...(found.get(field) ?? []), reader.bytes()]);
    else reader.skip(type, field);
  }
  return (field) => found.get(field) ?? [];
}

function attributesOf(pairs: readonly Uint8Array[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const part = partsOf(pair);
      return [textOf(part(1)), textOf(partsOf(part(2)[0] ?? new Uint8Array())(1))];
    }),
  );
}

const textOf = ([bytes]: readonly Uint8Array[]) => Buffer.from(bytes ?? []).toString('utf8');
const hexOf = ([bytes]: readonly Uint8Array[]) => Buffer.from(bytes ?? []).toString('hex');
