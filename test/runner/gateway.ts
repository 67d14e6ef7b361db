import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from '../../bench/fleet/free-port.js';

export interface GatewayCall {
  readonly method: string;
  readonly path: string;
  readonly body: any;
  /** The body as it was sent. */
  readonly text: string;
  readonly idempotencyKey: string | undefined;
  readonly at: number;
  /** Status of the reply of the service, or of the gateway; undefined until then. */
  status?: number;
}

/** A reply of the gateway instead of the service. */
export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}
/** Behaviour of a proxy that allows a silent connection for this time. */
export interface TimeLimit {
  readonly afterMs: number;
  readonly then: Answer | 'hang up';
}

/**
 * `pass`: forward; `lose`: forward and drop the reply; `garble`: forward and reply as a login of a proxy does; or a reply instead of the
 * service.
 */
export type Treatment = 'pass' | 'lose' | 'garble' | Answer | TimeLimit;

/** A gateway between a runtime and the service: it can be down, lose replies, and reply instead of the service. */
export class Gateway {
  readonly calls: GatewayCall[] = [];
  treat: (call: GatewayCall) => Treatment = () => 'pass';
  private server: Server | undefined;

  private constructor(
    public target: string,
    private readonly port: number,
  ) {}

  static async open(target: string): Promise<Gateway> {
    // a port that no other program gets while the gateway is down
    const gateway = new Gateway(target, await freePort());
    await gateway.up();
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Listens, on the same port each time. */
  async up(): Promise<void> {
    const server = createServer((incoming, outgoing) => void this.pass(incoming, outgoing));
    // like the service, it never closes a connection on which a client may be about to send
    server.keepAliveTimeout = 0;
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  /** Refuses connections, and closes the present ones. */
  async down(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  /** The calls of one route: `POST /agents/heartbeat`. */
  of(route: string): GatewayCall[] {
    return this.calls.filter(({ method, path }) => `${method} ${path.split('?')[0]}` === route);
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const body = await text(incoming);
    const call: GatewayCall = {
      method,
      path,
      body: body === '' ? undefined : JSON.parse(body),
      text: body,
      idempotencyKey: headers['idempotency-key']?.toString(),
      at: performance.now(),
    };
    this.calls.push(call);
    const treatment = this.treat(call);
    if (typeof treatment === 'object') {
      if ('afterMs' in treatment)
        setTimeout(() => this.end(call, treatment.then, outgoing), treatment.afterMs);
      else this.end(call, treatment, outgoing);
      return;
    }
    const onward = request(`${this.target}${path}`, { method, headers }, (reply) => {
      call.status = reply.statusCode;
      if (treatment === 'lose') {
        reply.resume().once('end', () => outgoing.destroy());
        return;
      }
      if (treatment === 'garble') {
        const login: Answer = { status: 200, body: { login: 'required' } };
        reply.resume().once('end', () => this.end(call, login, outgoing));
        return;
      }
      outgoing.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  }

  /** Replies instead of the service. */
  private end(call: GatewayCall, answer: Answer | 'hang up', outgoing: ServerResponse): void {
    if (answer === 'hang up') {
      outgoing.destroy();
      return;
    }
    const { status, headers, body } = answer;
    call.status = status;
    const shape = { statusCode: status, message: 'x', detail: 'x', error: 'x', request_id: 'of-a-test' };
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
    outgoing.end(typeof body === 'string' ? body : JSON.stringify(body ?? shape));
  }
}
