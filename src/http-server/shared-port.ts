import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type ListenOptions,
  type Server as SocketServer,
} from 'node:net';

/**
 * Number of listening sockets of one port. libuv accepts one connection of each in a turn of the event loop, so with a
 * single socket a busy process accepts 200 connections a second: a returning fleet of 10,000 would wait in the kernel
 * for longer than the timeouts of its clients. Only Linux distributes connections over sockets that share a port.
 */
const SOCKETS = process.platform === 'linux' ? 16 : 1;
/**
 * Maximum number of connections that wait to be accepted, for each socket. The kernel limits it (net.core.somaxconn,
 * 4,096 on Linux).
 */
const BACKLOG = 16_384;

/** Several HTTP servers with one handler, which listen on one port and look like one server to clients. */
export class SharedPort {
  private constructor(
    private readonly servers: readonly Server[],
    readonly port: number,
  ) {}

  /**
   * @param createServer creates the other servers, with the handler of the first one
   * @param port 0 for any that is free
   * @throws Error with the code of `listen(2)`; EADDRINUSE even if the other owner of the port shares it
   */
  static async listen(
    first: Server,
    createServer: () => Server,
    { port, host }: { port: number; host: string },
  ): Promise<SharedPort> {
    if (SOCKETS === 1) {
      await listen(first, { port, host, backlog: BACKLOG });
      return new SharedPort([first], (first.address() as AddressInfo).port);
    }
    const servers = [first, ...Array.from({ length: SOCKETS - 1 }, createServer)];
    const free = await claim(port, host);
    for (const server of servers) {
      await listen(server, { port: free, host, backlog: BACKLOG, reusePort: true });
    }
    return new SharedPort(servers, free);
  }

  /**
   * Makes each further reply the last one of its connection: clients open their next connection to another instance.
   */
  endConnectionsAfterReply(): void {
    for (const server of this.servers) {
      server.prependListener('request', (_, response: ServerResponse) => (response.shouldKeepAlive = false));
    }
  }

  /** Accepts no more connections. Resolves when all requests are answered and all connections are closed. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => new Promise((closed) => server.close(closed))));
  }

  closeIdleConnections(): void {
    for (const server of this.servers) server.closeIdleConnections();
  }

  closeAllConnections(): void {
    for (const server of this.servers) server.closeAllConnections();
  }

  async countConnections(): Promise<number> {
    const counts = this.servers.map(
      (server) => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0))),
    );
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }
}

/**
 * Checks that the port is free. Sockets that share a port let any process of the same user join them, including a
 * second instance of the service. A socket that does not share detects another owner of the port.
 *
 * @returns the port
 */
async function claim(port: number, host: string): Promise<number> {
  const probe = createSocketServer((connection) => connection.destroy());
  await listen(probe, { port, host, backlog: 1 });
  const { port: free } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return free;
}

async function listen(server: SocketServer, options: ListenOptions): Promise<void> {
  server.listen(options);
  // Rejects when the server emits an error instead.
  await once(server, 'listening');
}
