import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js';

const CLIENT_ID = 'control-plane';
const CLIENT_SECRET = 'the secret of the control plane at its provider';

export async function startIdentityProvider(webUrl) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const people = new Map();
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${webUrl}/sign-in/sso`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [signingKey()] },
    cookies: { keys: ['a key for the cookies of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => people.get(sub) }),
    loadExistingGrant,
    ttl: { AuthorizationCode: 60, AccessToken: 60, IdToken: 60, Grant: 60, Session: 60, Interaction: 60 },
  });
  const answer = provider.callback();
  const running = {
    issuer,
    person: { sub: 'nobody' },
    refusal: undefined,
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
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
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
