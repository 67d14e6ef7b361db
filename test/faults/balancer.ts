import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';

const PROBE_INTERVAL_MS = 100;
/** Headers of one connection (RFC 9110, 7.6.1): the two connections of a balancer begin and end independently. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

function withoutHopByHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}

/**
 * A load balancer in front of instances: probes `/ready`, sends each request to the next ready instance, and keeps its
 * connections open. It repeats no request, so a request that an instance drops is a 502 for the client.
 */
export class Balancer {
  private ready: readonly string[] = [];
  private turn = 0;
  private ended = false;
  private readonly connections = new Agent({ keepAlive: true });
  private readonly server: Server;
  private readonly probing: Promise<void>;

  private constructor(private readonly urls: () => readonly string[]) {
    this.server = createServer((incoming, outgoing) => void this.forward(incoming, outgoing));
    // Node's client ignores `Keep-Alive`: it would send a request on a connection that is just being closed
    this.server.keepAliveTimeout = 0;
    this.probing = this.probe();
  }

  /** @param urls of all instances, ready or not */
  static async start(urls: () => readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get readyCount(): number {
    return this.ready.length;
  }

  async close(): Promise<void> {
    this.ended = true;
    await this.probing;
    this.server.closeAllConnections();
    this.server.close();
    this.connections.destroy();
  }

  private async forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = this.ready[this.turn++ % this.ready.length];
    if (!target) {
      outgoing.writeHead(502).end('{"error":"no instance is ready"}');
      return;
    }
    const { method, url } = incoming;
    const headers = withoutHopByHop(incoming.headers);
    const forwarded = request(`${target}${url}`, { method, headers, agent: this.connections });
    try {
      const [[reply]] = (await Promise.all([once(forwarded, 'response'), pipeline(incoming, forwarded)])) as [
        [IncomingMessage],
        void,
      ];
      outgoing.writeHead(reply.statusCode!, withoutHopByHop(reply.headers));
      await pipeline(reply, outgoing);
    } catch (error) {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(JSON.stringify({ error: String(error) }));
    }
  }

  private async probe(): Promise<void> {
    while (!this.ended) {
      const all = this.urls();
      const answers = await Promise.all(all.map(isReady));
      this.ready = all.filter((_, index) => answers[index]);
      await delay(PROBE_INTERVAL_MS);
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const reply = await fetch(`${url}/ready`);
    await reply.text();
    return reply.ok;
  } catch {
    return false;
  }
}
