import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { PrimaryClient } from './primary-client.js';

/** Answers of a PostgreSQL server: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const message = (type: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};
const int16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value & 0xffff)]);
const READY = message('Z', Buffer.from('I'));
const AUTHENTICATED = message('R', int32(0));
const BOOLEAN = 16;
const COLUMN = message(
  'T',
  int16(1),
  Buffer.from('standby\0'),
  int32(0),
  int16(0),
  int32(BOOLEAN),
  int16(1),
  int32(-1),
  int16(0),
);
const rowOf = (value: string) => message('D', int16(1), int32(value.length), Buffer.from(value));
const COMPLETE = message('C', Buffer.from('SELECT 1\0'));

/** A server that says whether it is a standby, and answers nothing else. */
class PlayedServer {
  isStandby = false;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PlayedServer> {
    const server = createServer();
    const played = new PlayedServer(server);
    server.on('connection', (socket) => played.serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return played;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATED, READY]));
      socket.on('data', (sent) => {
        if (sent.includes('pg_is_in_recovery'))
          socket.write(Buffer.concat([COLUMN, rowOf(this.isStandby ? 't' : 'f'), COMPLETE, READY]));
      });
    });
  }
}

let servers: PlayedServer[];

beforeEach(async () => {
  servers = [await PlayedServer.start(), await PlayedServer.start()];
});

afterEach(() => servers.forEach((server) => server.close()));

/** A connection to the primary of both servers. */
async function connected(): Promise<PrimaryClient> {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join();
  const client = new PrimaryClient({ connectionString: `postgres://me@${hosts}/x` });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The fate of a query that gets no answer. */
const fateOf = (client: PrimaryClient) =>
  client.query('SELECT 1').then(
    () => 'answered',
    (error: Error) => error.message,
  );

/** Ends a connection, after which the next one looks for the primary again. */
function end(client: PrimaryClient): Promise<void> {
  return new Promise((resolve) => {
    client.once('end', () => resolve());
    client.connection.stream.destroy();
  });
}

describe('A connection to one of several servers', () => {
  it('is ended with its query when another server is the primary', async () => {
    const [first, second] = servers as [PlayedServer, PlayedServer];
    second.isStandby = true;
    const [stays, goes] = [await connected(), await connected()];
    expect([stays.port, goes.port]).toEqual([first.port, first.port]);
    const fate = fateOf(stays);
    [first.isStandby, second.isStandby] = [true, false];
    await end(goes);
    const later = await connected();
    expect(await fate).toBe('Connection terminated: another server is the primary');
    expect(later.port).toBe(second.port);
    await end(later);
  });

  it('continues when a former primary takes writes again', async () => {
    const [first, second] = servers as [PlayedServer, PlayedServer];
    first.isStandby = true;
    const [stays, goes] = [await connected(), await connected()];
    first.isStandby = false;
    await end(goes);
    const later = await connected();
    expect([stays.port, later.port]).toEqual([second.port, second.port]);
    expect(stays.connection.stream.destroyed).toBe(false);
    await Promise.all([end(stays), end(later)]);
  });
});
