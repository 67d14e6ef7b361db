import {
  areAllPublic,
  hasHttpPort,
  isMetadataAddress,
  isMetadataName,
  isPublicAddress,
  isPublicName,
  literalAddress,
  parseTarget,
} from './target-guard.js';

describe('An address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
    '2400:cb00:2048:1::c629:d7a2',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.0'],
    ['private', '10.255.255.255'],
    ['private', '172.16.0.0'],
    ['private', '172.31.255.255'],
    ['private', '192.168.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.255'],
    ['link-local', '169.254.0.1'],
    ['cloud metadata', '169.254.169.254'],
    ['container metadata', '169.254.170.2'],
    ['carrier-grade NAT', '100.64.0.0'],
    ['a cloud’s metadata in carrier-grade NAT', '100.100.100.200'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarking', '198.18.0.1'],
    ['benchmarking', '198.19.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['loopback, written out', '0:0:0:0:0:0:0:1'],
    ['link-local', 'fe80::1'],
    ['link-local, with its zone', 'fe80::1%eth0'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fdff:ffff::1'],
    ['cloud metadata', 'fd00:ec2::254'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discard', '100::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['benchmarking', '2001:2::1'],
    ['ORCHID', '2001:20::1'],
    ['segment routing', '5f00::1'],
    ['unassigned', '4000::1'],
    ['IPv4-mapped private', '::ffff:10.0.0.1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback, in hexadecimal', '::ffff:7f00:1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-translated', '::ffff:0:127.0.0.1'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['IPv4-compatible public', '::8.8.8.8'],
    ['NAT64 to private', '64:ff9b::10.0.0.1'],
    ['NAT64 to public', '64:ff9b::8.8.8.8'],
    ['local-use NAT64', '64:ff9b:1::a00:1'],
    ['6to4 of loopback', '2002:7f00:1::1'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['no address', 'localhost'],
    ['no address', ''],
    ['a short form, which no resolver answers', '127.1'],
  ])('%s: %s is not public', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('The metadata service of a cloud', () => {
  it.each([
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ])('is recognised at %s, which is not public', (address) => {
    expect([isMetadataAddress(address), isPublicAddress(address)]).toEqual([true, false]);
  });

  it.each(['127.0.0.1', '10.0.0.1', '192.168.1.7', '::1', 'fd00:1::5', '8.8.8.8', '100.64.0.1'])(
    'is not recognised at %s',
    (address) => {
      expect(isMetadataAddress(address)).toBe(false);
    },
  );

  it('is recognised by its host name', () => {
    expect(
      ['metadata.google.internal', 'METADATA.google.internal.', 'instance-data'].every(isMetadataName),
    ).toBe(true);
    expect(['example.com', 'localhost', 'metadata.example.com'].some(isMetadataName)).toBe(false);
  });
});

describe('A name with several addresses', () => {
  it('is accepted when it has an address and all are public', () => {
    expect(areAllPublic(['8.8.8.8', '2606:4700:4700::1111'])).toBe(true);
    expect(areAllPublic(['8.8.8.8', '10.0.0.1'])).toBe(false);
    expect(areAllPublic(['::1', '8.8.8.8'])).toBe(false);
    expect(areAllPublic([])).toBe(false);
  });
});

describe('A host name', () => {
  it.each([
    'example.com',
    'hooks.example.co.uk',
    'example.com.',
    'localhost.example.com',
    'internal.example.com',
  ])('%s may be public', (name) => {
    expect(isPublicName(name)).toBe(true);
  });

  it.each([
    'localhost',
    'localhost.',
    'LOCALHOST',
    'foo.localhost',
    'printer.local',
    'metadata.google.internal',
    'metadata.google.internal.',
    'router.home.arpa',
    'intranet',
    'postgres',
  ])('%s is not public', (name) => {
    expect(isPublicName(name)).toBe(false);
  });
});

describe('A webhook URL', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/hooks?a=b',
    'HTTPS://EXAMPLE.COM/',
    'https://bücher.example/hook',
    'https://[2606:4700:4700::1111]/hook',
  ])('%s is accepted', (text) => {
    expect(parseTarget(text).url).toBeInstanceOf(URL);
  });

  it.each([
    '',
    'example.com',
    '//example.com/hook',
    '/hook',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    'http:example.com',
    'http:/example.com',
    'http://',
    'http:///hook',
    'https://exa mple.com/',
    ' https://example.com/',
    'https://example.com/\n',
    'https://exam\tple.com/',
    'https://example.com\\@127.0.0.1/',
    'https:\\\\example.com',
    'https://example.com/\u0000',
    'https://example.com:99999/',
    'https://256.1.1.1/',
    'https://1.2.3.4.5/',
    'https://[::1/',
  ])('%j is refused', (text) => {
    expect(parseTarget(text).problem).toBe('url must be an absolute http or https URL');
  });

  it.each(['https://user@example.com/', 'https://user:secret@example.com/', 'https://:secret@example.com/'])(
    '%s is refused because it contains credentials',
    (text) => {
      expect(parseTarget(text).problem).toBe('url must not contain credentials');
    },
  );

  it.each([1, 22, 25, 79, 81, 110, 445, 587, 993, 1_023, 2_049, 6_000, 6_667, 10_080])(
    'is refused with the port %d of another protocol',
    (port) => {
      expect(hasHttpPort(new URL(`https://example.com:${port}/`))).toBe(false);
    },
  );

  it.each([80, 443, 1_024, 3_000, 8_080, 8_443, 65_535])('is accepted with the port %d', (port) => {
    for (const scheme of ['http', 'https']) {
      expect(hasHttpPort(new URL(`${scheme}://example.com:${port}/`))).toBe(true);
    }
  });

  it('is refused when it is too long', () => {
    expect(parseTarget(`https://example.com/${'x'.repeat(2_048)}`).problem).toMatch(/2048 characters/);
  });

  it.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0x7f.0.0.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://017700000001/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://0x0/', '0.0.0.0'],
    ['http://2852039166/', '169.254.169.254'],
    ['http://0xa9fea9fe/', '169.254.169.254'],
    ['http://0251.0376.0251.0376/', '169.254.169.254'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://１２７。０。０。１/', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[0:0:0:0:0:ffff:7f00:0001]/', '::ffff:7f00:1'],
    ['http://[0000::1]/', '::1'],
    ['http://[::]/', '::'],
    ['http://[64:ff9b::7f00:1]/', '64:ff9b::7f00:1'],
  ])('%s is parsed to its IP address', (text, address) => {
    const { url } = parseTarget(text);
    expect(literalAddress(url!.hostname)).toBe(address);
    expect(isPublicAddress(address)).toBe(false);
  });

  it('with a host name contains no IP address', () => {
    expect(literalAddress('example.com')).toBeNull();
    // A name that a person's name servers may well answer with that address: for the resolver to find out.
    expect(literalAddress('127.0.0.1.nip.io')).toBeNull();
  });
});
