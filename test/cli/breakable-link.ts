import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A link to the service that can be cut and mended. */
export interface BreakableLink {
  readonly url: string;
  /** Number of connections so far. */
  readonly connections: number;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function linkTo(url: string): Promise<BreakableLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let connections = 0;
  const server = createServer((near) => {
    if (isCut) return near.destroy();
    connections += 1;
    const far = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cutAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    cut() {
      isCut = true;
      cutAll();
    },
    mend: () => (isCut = false),
    async close() {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
