import { AnsweredHosts } from './answered-hosts.js';

const PUBLIC = ['https://Control.example.com/api', '', 'http://10.0.0.7:8000'];

describe('A server that listens on loopback', () => {
  it.each(['127.0.0.1', '127.0.0.53', '::1', 'localhost'])(
    'answers to names of the machine and to its public ones when it listens on %s',
    (listensOn) => {
      const hosts = new AnsweredHosts(listensOn, PUBLIC);
      const answered = [
        'localhost',
        'LocalHost:8000',
        'a.b.localhost:3000',
        '127.0.0.1:8000',
        '127.9.9.9',
        '[::1]:8000',
        '[::ffff:127.0.0.1]:8000',
      ];
      for (const host of [...answered, 'control.example.com', 'control.example.com:443', '10.0.0.7'])
        expect([host, hosts.refusalOf(host)]).toEqual([host, undefined]);
    },
  );

  it.each([
    ['another name', 'evil.example.com:8000'],
    ['a name that begins like a local one', 'localhost.evil.example.com'],
    ['a name that ends like a local one', 'notlocalhost'],
    ['a name that begins with a local address', '127.0.0.1.nip.io'],
    ['a name below a public one', 'x.control.example.com'],
    ['an address of the network', '192.168.1.5'],
    ['another IPv6 address', '[2001:db8::1]'],
    ['an IPv6 address without brackets', '::1'],
    ['an address of the machine in another form', '0x7f.1'],
    ['no name', ''],
    ['no host', 'a:b:c'],
  ])('refuses when it is asked for %s', (_, host) => {
    expect(new AnsweredHosts('127.0.0.1', PUBLIC).refusalOf(host)).toMatch(
      /^This server is only reachable from this machine/,
    );
  });

  it('shows a part of a name that is long', () => {
    expect(new AnsweredHosts('127.0.0.1', []).refusalOf('x'.repeat(10_000))!.length).toBeLessThan(300);
  });
});

it.each(['0.0.0.0', '::', '192.168.1.5', 'control.example.com'])(
  'A server that listens on %s answers to every name',
  (listensOn) => {
    expect(new AnsweredHosts(listensOn, []).refusalOf('anything.example')).toBeUndefined();
  },
);
