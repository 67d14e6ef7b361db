import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { SharedPort } from './shared-port.js';

const HOST = '127.0.0.1';
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CONNECTIONS = 64;

let ports: SharedPort[];
let sockets: Socket[];
let waiting: ServerResponse[];

beforeEach(() => {
  ports = [];
  sockets = [];
  waiting = [];
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const port of ports) port.closeAllConnections();
  await Promise.all(ports.map((port) => port.close()));
});

async function listen(port = 0, handle: RequestListener = (_, response) => waiting.push(response)) {
  const create = () => createServer(handle);
  const shared = await SharedPort.listen(create(), create, { port, host: HOST });
  ports.push(shared);
  return shared;
}

async function open(port: number, bytes = REQUEST): Promise<Socket> {
  const socket = connect(port, HOST);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

it('A shared port serves and counts the connections of all its sockets', async () => {
  const shared = await listen();
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(shared.port)));
  while (waiting.length < CONNECTIONS) await new Promise(setImmediate);
  expect(await shared.countConnections()).toBe(CONNECTIONS);
  const answers = clients.map((client) => once(client, 'data'));
  for (const response of waiting) response.end('ok');
  for (const [answer] of await Promise.all(answers)) expect(String(answer)).toMatch(/^HTTP\/1.1 200/);
});

it('A shared port accepts several connections in one turn of the event loop on Linux', async () => {
  const turns: number[] = [];
  let turn = 0;
  const shared = await listen(0, (_, response) => {
    turns.push(turn);
    response.end('ok');
  });
  sockets = Array.from({ length: CONNECTIONS }, () => connect(shared.port, HOST));
  for (const socket of sockets) socket.write(REQUEST);
  while (turns.length < CONNECTIONS) {
    await new Promise(setImmediate);
    turn++;
  }
  const most = Math.max(
    ...Array.from({ length: turn + 1 }, (_, at) => turns.filter((one) => one === at).length),
  );
  expect(most).toBeGreaterThan(process.platform === 'linux' ? 1 : 0);
});

it('A shared port is refused when another instance shares it', async () => {
  const { port } = await listen();
  await expect(listen(port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('A shared port finishes its requests when it is closed, and refuses new connections', async () => {
  const shared = await listen();
  const client = await open(shared.port);
  while (waiting.length === 0) await new Promise(setImmediate);
  const closed = shared.close();
  const [refused] = await once(connect(shared.port, HOST), 'error');
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  const answer = once(client, 'data');
  waiting[0]!.end('ok');
  expect(String((await answer)[0])).toMatch(/^HTTP\/1.1 200/);
  shared.closeIdleConnections();
  await closed;
});
