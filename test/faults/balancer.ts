import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PROBE_INTERVAL_MS = 100;

/** A load balancer as platforms have them: it probes `/ready`, and sends each request to the next instance that is. */
export class Balancer {
  private ready: readonly string[] = [];
  private turn = 0;
  private ended = false;
  private readonly connections = new Agent({ keepAlive: true });
  private readonly probing: Promise<void>;

  private constructor(
    private readonly server: Server,
    private readonly urls: () => readonly string[],
  ) {
    this.probing = this.probe();
  }

  /** @param urls of all instances, ready or not */
  static async start(urls: () => readonly string[]): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server, urls);
    server.on('request', (incoming, outgoing) => {
      const { ready, turn } = balancer;
      balancer.turn++;
      const target = ready[turn % ready.length];
      if (!target) return outgoing.writeHead(502).end('{"error":"no instance is ready"}');
      const { method, headers, url } = incoming;
      const passedOn = request(
        `${target}${url}`,
        { method, headers, agent: balancer.connections },
        (reply) => {
          // How long a connection stays is a matter of each of its two ends.
          const passed = { ...reply.headers };
          delete passed.connection;
          delete passed['keep-alive'];
          outgoing.writeHead(reply.statusCode!, passed);
          reply.pipe(outgoing);
        },
      );
      passedOn.on('error', (error) => outgoing.writeHead(502).end(JSON.stringify({ error: String(error) })));
      return incoming.pipe(passedOn);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
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

  private async probe(): Promise<void> {
    while (!this.ended) {
      const all = this.urls();
      const answers = await Promise.all(
        all.map((url) =>
          fetch(`${url}/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
      this.ready = all.filter((_, index) => answers[index]);
      await delay(PROBE_INTERVAL_MS);
    }
  }
}
