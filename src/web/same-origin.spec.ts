import type { Request } from 'express';
import { isLocalhost, ownOrigin } from './same-origin.js';

const asked = (host: string | undefined, secure = false) =>
  ({ headers: { host }, secure }) as unknown as Request;

describe('The origin of this server', () => {
  it('is WEB_PUBLIC_URL when it is set', () => {
    expect(ownOrigin(asked('evil.example.com'), 'https://control.example.com')).toEqual({
      host: 'control.example.com',
      hostname: 'control.example.com',
      scheme: 'https:',
    });
  });

  it('is the requested host without WEB_PUBLIC_URL', () => {
    expect(ownOrigin(asked('127.0.0.1:3000'), '')).toEqual({
      host: '127.0.0.1:3000',
      hostname: '127.0.0.1',
      scheme: undefined,
    });
    expect(ownOrigin(asked('[::1]:3000'), '')).toMatchObject({ host: '[::1]:3000', hostname: '[::1]' });
    expect(ownOrigin(asked('Control.Example.com', true), '')).toMatchObject({
      host: 'control.example.com',
      scheme: 'https:',
    });
  });

  it.each([undefined, '', 'a b', 'a:b:c', '%'])('is empty for a missing or malformed host: %s', (host) => {
    expect(ownOrigin(asked(host), '')).toMatchObject({ host: '', hostname: '' });
  });
});

describe('A loopback host', () => {
  it.each(['localhost', 'web.localhost', '127.0.0.1', '127.8.9.10', '[::1]'])('is recognised: %s', (name) => {
    expect(isLocalhost(name)).toBe(true);
  });

  it.each([
    '',
    '0.0.0.0',
    '192.168.1.2',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'notlocalhost',
    '128.0.0.1',
  ])('is not %s', (name) => expect(isLocalhost(name)).toBe(false));
});
