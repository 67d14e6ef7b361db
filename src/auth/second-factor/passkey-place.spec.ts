import { passkeyPlace } from './passkey-place.js';

const place = (settings: Partial<Parameters<typeof passkeyPlace>[0]>) =>
  passkeyPlace({ NODE_ENV: 'development', PUBLIC_URL: '', WEB_PUBLIC_URL: '', ...settings });

describe('The place of passkeys', () => {
  it("is the dashboard's own address alone", () => {
    const found = place({
      WEB_PUBLIC_URL: 'https://control.example.com/agents',
      PUBLIC_URL: 'https://api.example.com/v1',
    });
    expect(found?.rpId).toBe('control.example.com');
    expect(found?.isOrigin('https://control.example.com')).toBe(true);
    for (const origin of [
      'http://control.example.com',
      'https://control.example.com:8443',
      'https://control.example.com.evil.example',
      'https://api.example.com',
    ])
      expect([origin, found?.isOrigin(origin)]).toEqual([origin, false]);
  });

  it('is the host of the service if only that is known', () => {
    expect(place({ PUBLIC_URL: 'https://api.example.com/v1' })?.rpId).toBe('api.example.com');
  });

  it('is this machine, on any port, if no address is known', () => {
    const found = place({});
    expect(found?.rpId).toBe('localhost');
    expect(found?.isOrigin('http://localhost:3000')).toBe(true);
    for (const origin of [
      'http://127.0.0.1:3000',
      'http://localhost.evil.example',
      'http://evil.example:3000',
    ])
      expect([origin, found?.isOrigin(origin)]).toEqual([origin, false]);
  });

  it('is nowhere at an IP address, nor in production at an unknown one', () => {
    expect(place({ WEB_PUBLIC_URL: 'http://192.0.2.1:3000' })).toBeNull();
    expect(place({ WEB_PUBLIC_URL: 'http://[2001:db8::1]' })).toBeNull();
    expect(place({ NODE_ENV: 'production' })).toBeNull();
  });
});
