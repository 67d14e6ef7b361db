import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

const CLIENT_ID = 'control-plane';
const CLIENT_SECRET = 'the secret of the control plane at its provider';

export async function startIdentityProvider(webUrl, { conformIdTokenClaims = true } = {}) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const people = new Map();
  const key = signingKey();
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${webUrl}/sign-in/sso`],
        id_token_signed_response_alg: 'ES256',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for the cookies of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) =>
      people.has(sub) ? { accountId: sub, claims: () => people.get(sub) } : undefined,
    loadExistingGrant,
    // Each is good once; the second use of one ends the grant.
    rotateRefreshToken: true,
    issueRefreshToken: () => running.givesRefreshTokens,
    ttl: {
      ...{ AuthorizationCode: 60, AccessToken: 60, IdToken: 60, Interaction: 60 },
      ...{ RefreshToken: 600, Grant: 600, Session: 600 },
    },
  });
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params.grant_type === 'refresh_token') running.refreshes++;
  });
  const answer = provider.callback();
  const running = {
    issuer,
    person: { sub: 'nobody' },
    refusal: undefined,
    givesRefreshTokens: true,
    isAway: false,
    refreshes: 0,
    /** An access token as the provider makes it for a resource, or with other claims. */
    accessToken(resource, claims = {}, by = key) {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: issuer, sub: running.person.sub, aud: resource, iat: now, exp: now + 60 };
      return signed({ typ: 'at+jwt', alg: 'ES256', kid: 'tests' }, { ...usual, ...claims }, by);
    },
    /** A key that is not the provider's, by its name. */
    strangersKey: signingKey,
    forget() {
      people.delete(running.person.sub);
    },
    change(claims) {
      running.person = { ...running.person, ...claims };
      people.set(running.person.sub, running.person);
    },
    settings: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      WEB_PUBLIC_URL: webUrl,
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    if (running.isAway) return request.socket.destroy();
    if (!request.url.startsWith('/interaction/')) return answer(request, response);
    const { person, refusal } = running;
    people.set(person.sub, person);
    const result = refusal ? { error: refusal } : { login: { accountId: person.sub } };
    provider.interactionFinished(request, response, result).catch((error) => response.destroy(error));
  });
  return running;
}

/** Grants everything that the client requests. */
async function loadExistingGrant({ oidc }) {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client.clientId,
    accountId: oidc.session.accountId,
  });
  grant.addOIDCScope('openid email profile groups offline_access');
  await grant.save();
  return grant;
}

function signed(header, claims, jwk) {
  const input = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'tests', use: 'sig', alg: 'ES256' };
}

export async function visitProvider(url) {
  const { origin } = new URL(url);
  const cookies = new Map();
  let next = new URL(url);
  while (next.origin === origin) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(next, { redirect: 'manual', headers: { cookie } });
    const location = reply.headers.get('location');
    if (location === null) throw new Error(`The provider answered ${reply.status}: ${await reply.text()}`);
    for (const set of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set);
      cookies.set(name, value);
    }
    next = new URL(location, next);
  }
  return next;
}
