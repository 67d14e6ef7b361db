import { pathOf, publicAddress } from './public-address.js';

describe('The address of the dashboard', () => {
  it.each([
    ['HTTPS://Control.Example.com:443/', 'https://control.example.com', ''],
    ['http://10.0.0.1:3000', 'http://10.0.0.1:3000', ''],
    ['https://example.com/agents/', 'https://example.com/agents', '/agents'],
    ['https://example.com/x/../eu-1/v1.2/~ada', 'https://example.com/eu-1/v1.2/~ada', '/eu-1/v1.2/~ada'],
  ])('is read in the form of browsers, without its trailing slash: %s', (text, address, path) => {
    expect([publicAddress(text), pathOf(address)]).toEqual([address, path]);
  });

  it.each([
    'example.com',
    'ftp://example.com',
    'https://',
    'https://a@example.com',
    'https://example.com/a%20b',
    'https://example.com/a b',
    'https://example.com/a//b',
    'https://example.com//b',
    'https://example.com/a;b',
    'https://example.com/a?b',
    'https://example.com/a#b',
  ])('has no user, no query and no character that needs an encoding: %s', (text) => {
    expect(publicAddress(text)).toBeUndefined();
  });
});
