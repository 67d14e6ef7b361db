import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RelayedRequest {
  readonly method: string;
  /** The unchanged path, with the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * Treatment of a request: forward it, when the promise resolves; answer instead of the service; or close the
 * connection.
 */
export type Verdict =
  'pass' | 'hang-up' | { status: number; headers?: Record<string, string>; body?: string };

/** A relay between the web server and the service, which records requests and can interfere. */
export class ServiceRelay {
  readonly seen: RelayedRequest[] = [];
  private open = 0;
  private judge: (request: RelayedRequest) => Verdict | Promise<Verdict> = () => 'pass';

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {}

  static async start(target: string): Promise<ServiceRelay> {
    const server = createServer();
    // like the service, it never closes a connection on which a client may be about to send
    server.keepAliveTimeout = 0;
    const relay = new ServiceRelay(server, target);
    server.on('request', (incoming, outgoing) => void relay.relay(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Requests to a path so far. */
  to(path: string): RelayedRequest[] {
    return this.seen.filter((it) => it.path.split('?')[0] === path);
  }

  /** Number of requests without a complete reply. */
  get openCount(): number {
    return this.open;
  }

  /** Sets the treatment of later requests. */
  decide(judge: (request: RelayedRequest) => Verdict | Promise<Verdict>): void {
    this.judge = judge;
  }

  /** Forwards all requests again, and forgets the recorded ones. */
  reset(): void {
    this.judge = () => 'pass';
    this.seen.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async relay(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const seen = { method, path, headers };
    this.seen.push(seen);
    this.open += 1;
    outgoing.once('close', () => (this.open -= 1));
    const verdict = await this.judge(seen);
    if (verdict === 'hang-up') {
      incoming.socket.destroy();
      return;
    }
    if (verdict !== 'pass') {
      outgoing.writeHead(verdict.status, verdict.headers).end(verdict.body);
      return;
    }
    const onward = request(`${this.target}${path}`, { method, headers, agent: false }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(outgoing);
      reply.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }
}
