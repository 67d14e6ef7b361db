import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { TestDatabase } from './test-database.js';

/** Maximum delay of a timer. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** A relay between the service and PostgreSQL, which can delay each message to PostgreSQL. */
export class SlowLink {
  private delayMs = 0;
  private port = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: TestDatabase['target'],
  ) {}

  static async start(target: TestDatabase['target']): Promise<SlowLink> {
    const server = createServer();
    const link = new SlowLink(server, target);
    server.on('connection', (socket) => link.pass(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    link.port = (server.address() as AddressInfo).port;
    return link;
  }

  /** The address for `DATABASE_URL`. */
  get url(): string {
    const { user, database } = this.target;
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Delays each later message: a statement is one or more. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Forwards nothing to PostgreSQL any more, as if its machine had stopped. */
  hang(): void {
    this.delayMs = LONGEST_DELAY_MS;
  }

  /** Accepts connections after {@link close}, at the same address. */
  async reopen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Ends all connections, and refuses new ones. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(near: Socket): void {
    const far = connect(join(this.target.host, `.s.PGSQL.${this.target.port}`));
    let sent = Promise.resolve();
    near.on('data', (chunk: Buffer) => {
      const due = performance.now() + this.delayMs;
      // one after the other, even if the delay has just changed
      sent = sent.then(async () => {
        const rest = due - performance.now();
        if (rest > 0) await delay(rest, undefined, { ref: false });
        far.write(chunk);
      });
    });
    far.pipe(near);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
  }
}
