import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface OtlpCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: number;
}

export interface OtlpReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The routes of the service for OTLP, as a test plays them. */
export class PlayedOtlpService {
  readonly calls: OtlpCall[] = [];
  /** By default everything is taken. A promise keeps the caller waiting. */
  reply: (call: OtlpCall) => OtlpReply | Promise<OtlpReply> = () => ({});

  private constructor(private readonly server: Server) {}

  static async open(): Promise<PlayedOtlpService> {
    const server = createServer((request, response) => {
      void buffer(request).then(async (body) => {
        const call = { path: request.url!, headers: request.headers, body, at: performance.now() };
        played.calls.push(call);
        const { status = 200, headers, body: reply } = await played.reply(call);
        const isJson = call.headers['content-type'] === 'application/json';
        response.writeHead(status, {
          'Content-Type': call.headers['content-type'],
          'X-Request-Id': 'of-a-test',
          ...headers,
        });
        response.end(reply ?? (isJson ? '{}' : ''));
      });
    });
    const played = new PlayedOtlpService(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return played;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  of(signal: string): OtlpCall[] {
    return this.calls.filter(({ path }) => path === `/otlp/v1/${signal}`);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
