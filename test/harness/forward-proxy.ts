import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';

/** A proxy for clients without direct access. All names lead to one port of this machine. */
export class ForwardProxy {
  /** Targets of the tunnels, `service.test:443`, with the login. */
  readonly tunnels: string[] = [];
  private readonly clients = new Set<Duplex>();
  private isRefusing = false;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(port: number): Promise<ForwardProxy> {
    const server = createServer((_, response) => response.writeHead(405).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port: own } = server.address() as AddressInfo;
    const proxy = new ForwardProxy(server, `http://ada:secret@127.0.0.1:${own}`);
    server.on('connect', ({ url = '', headers }, client) => {
      proxy.clients.add(client);
      if (proxy.isRefusing) {
        client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        return;
      }
      proxy.tunnels.push(`${url} ${headers['proxy-authorization']}`);
      const target = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
      // either side may close the connection at any moment
      pipeline(client, target, () => undefined);
      pipeline(target, client, () => undefined);
    });
    return proxy;
  }

  /** Refuses later tunnels, or opens them again. */
  refuses(isRefusing: boolean): void {
    this.isRefusing = isRefusing;
  }

  /** Ends the proxy and its tunnels. @returns its port */
  async stop(): Promise<number> {
    const { port } = this.server.address() as AddressInfo;
    await this.close();
    return port;
  }

  async start(port: number): Promise<void> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
