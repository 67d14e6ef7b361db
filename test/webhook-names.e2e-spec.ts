import { createSocket, type Socket } from 'node:dgram';
import { NameResolver } from '../src/webhooks/name-resolver.js';

const A = 1;
const AAAA = 28;
const NO_SUCH_NAME = 3;

/** Records of the name server. A query without a record of its type gets an empty answer. */
const zone: Record<string, { [A]?: string; [AAAA]?: string } | undefined> = {
  'both.example.com': { [A]: '93.184.216.34', [AAAA]: '2606:2800:220:1:248:1893:25c8:1946' },
  'old.example.com': { [A]: '93.184.216.34' },
  'new.example.com': { [AAAA]: '2606:2800:220:1:248:1893:25c8:1946' },
  'empty.example.com': {},
};

function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}

/** The reply to one question (RFC 1035, 4.1). */
function replyTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const question = query.subarray(12, at + 5);
  const type = query.readUInt16BE(at + 1) as typeof A | typeof AAAA;
  const records = zone[labels.join('.').toLowerCase()];
  const address = records?.[type];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (records ? 0 : NO_SUCH_NAME), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(address ? 1 : 0, 6);
  if (!address) return Buffer.concat([header, question]);
  const bytes = addressBytes(address);
  const answer = Buffer.alloc(12);
  answer.writeUInt16BE(0xc00c, 0);
  answer.writeUInt16BE(type, 2);
  answer.writeUInt16BE(1, 4);
  answer.writeUInt32BE(60, 6);
  answer.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([header, question, answer, bytes]);
}

class TestResolver extends NameResolver {
  constructor(port: number) {
    super({ WEBHOOK_ALLOW_PRIVATE_TARGETS: false });
    this.resolver.setServers([`127.0.0.1:${port}`]);
  }
}

let server: Socket;
let resolver: NameResolver;

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => server.send(replyTo(query), port, address));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  resolver = new TestResolver(server.address().port);
});

afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

describe('A public host name', () => {
  it.each([
    ['both.example.com', ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946']],
    ['old.example.com', ['93.184.216.34']],
    ['new.example.com', ['2606:2800:220:1:248:1893:25c8:1946']],
  ])('%s is resolved to all its addresses by the name server', async (name, addresses) => {
    expect(await resolver.resolve(name)).toEqual(addresses);
  });

  it.each(['empty.example.com', 'missing.example.com'])('%s does not resolve', async (name) => {
    await expect(resolver.resolve(name)).rejects.toMatchObject({ code: expect.stringMatching(/^ENO/) });
  });
});

describe('A private host name', () => {
  it('is resolved by the operating system, which may be the only one to know it', async () => {
    const addresses = await new NameResolver({ WEBHOOK_ALLOW_PRIVATE_TARGETS: true }).resolve('localhost');
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining(addresses));
  });
});
