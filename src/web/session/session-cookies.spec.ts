import { parseSetCookie } from 'cookie';
import { ownOrigin } from '../same-origin.js';
import { SessionCookies } from './session-cookies.js';

const TOKENS = { access_token: 'a', refresh_token: 'r', expires_in: 900 } as never;

function placesOf(publicUrl: string, basePath: string) {
  const cookies = new SessionCookies(ownOrigin({ headers: {} } as never, publicUrl), basePath);
  const set = [...cookies.keep(TOKENS), cookies.keepFlow('flow')].map((it) => parseSetCookie(it));
  const cleared = [...cookies.clear(), cookies.keepFlow('')].map((it) => parseSetCookie(it));
  // a cookie is removed only at the path where it was set
  expect(cleared.map(({ name, path, maxAge }) => [name, path, maxAge])).toEqual(
    set.map(({ name, path }) => [name, path, 0]),
  );
  return set.map(({ name, path }) => `${name} ${path}`);
}

describe('The cookies of a session', () => {
  it('are for the whole host when the dashboard is at its root', () => {
    expect(placesOf('https://control.example.com', '')).toEqual([
      '__Host-svc_access /',
      '__Secure-svc_refresh /api',
      '__Host-svc_signed_in /',
      '__Secure-svc_sso /api/auth/sso',
    ]);
  });

  it('are limited to the path of the dashboard when it shares its host', () => {
    expect(placesOf('https://company.example/agents', '/agents')).toEqual([
      '__Secure-svc_access /agents',
      '__Secure-svc_refresh /agents/api',
      '__Secure-svc_signed_in /agents',
      '__Secure-svc_sso /agents/api/auth/sso',
    ]);
    expect(placesOf('http://localhost:3000/agents', '/agents')).toEqual([
      'svc_access_3000 /agents',
      'svc_refresh_3000 /agents/api',
      'svc_signed_in_3000 /agents',
      'svc_sso_3000 /agents/api/auth/sso',
    ]);
  });
});
