import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

const text = (value: string) => Buffer.from(`${value}\0`);
const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value & 65535)]);
const READY = message('Z', Buffer.from('I'));

/** A server of the protocol that accepts all connections, and answers every statement with its version. */
export async function startOldPostgres(version: string): Promise<Server> {
  const column = Buffer.concat([
    text('server_version'),
    int32(0),
    int16(0),
    int32(25),
    int16(-1),
    int32(-1),
    int16(0),
  ]);
  const answer = Buffer.concat([
    message('T', Buffer.concat([int16(1), column])),
    message('D', Buffer.concat([int16(1), int32(version.length), Buffer.from(version)])),
    message('C', text('SHOW')),
    READY,
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), READY]));
      socket.on('data', (data) => void (data.toString('latin1', 0, 1) === 'Q' && socket.write(answer)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
