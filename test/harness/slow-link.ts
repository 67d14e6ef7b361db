import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { TestDatabase } from './test-database.js';

/** The longest that a timer takes. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** Stands between the service and PostgreSQL, and can make each message to PostgreSQL take its time. */
export class SlowLink {
  private delayMs = 0;
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
    return link;
  }

  /** For `DATABASE_URL`. */
  get url(): string {
    const { user, database } = this.target;
    return `postgres://${user}@127.0.0.1:${(this.server.address() as AddressInfo).port}/${database}`;
  }

  /** From now on, for each message: a statement is one or more. */
  slowDown(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** From now on nothing reaches PostgreSQL any more, as if its machine stood still. */
  hang(): void {
    this.delayMs = LONGEST_DELAY_MS;
  }

  /** PostgreSQL is away from now on: connections end, and new ones are refused. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(near: Socket): void {
    const far = connect(join(this.target.host, `.s.PGSQL.${this.target.port}`));
    let sent = Promise.resolve();
    near.on('data', (chunk: Buffer) => {
      const due = performance.now() + this.delayMs;
      // one after the other, also where the delay has just changed
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
