import { JwtService } from '@nestjs/jwt';
import { MisbehavingProvider } from './builders/misbehaving-provider.js';
import { GROUP_SETTINGS } from './builders/sso-groups.js';
import { BEGINNING, ENDING, SsoStage } from './builders/single-sign-on.js';
import { expectError } from './harness/error-shape.js';
import type { ApiReply } from './harness/api-client.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

const DEMAND = { OIDC_ACR_VALUES: 'gold platinum', OIDC_AMR_VALUES: 'mfa hwk' };
const STRONG = { acr: 'gold', amr: ['pwd', 'mfa'] };
const ADDRESS = 'https://control.example.com/api';

let stage: SsoStage;
let provider: MisbehavingProvider;
/** Two instances with one database and one provider, of which one demands nothing. */
let strict: TestApp;
let lax: TestApp;
let people = 0;
let sub: string;

beforeAll(async () => {
  stage = await SsoStage.open(GROUP_SETTINGS);
  provider = await MisbehavingProvider.start();
  provider.refreshToken = 'refresh';
  const { database } = stage.service;
  const settings = { ...stage.provider.settings, ...GROUP_SETTINGS, OIDC_ISSUER: provider.issuer };
  strict = await startTestApp({ database, settings: { ...settings, ...DEMAND } });
  lax = await startTestApp({ database, settings });
});

beforeEach(() => {
  sub = `person-${++people}`;
});

afterAll(async () => {
  await lax.close();
  await strict.close();
  await provider.close();
  await stage.close();
});

/** The provider's claims about the person. */
function say(more: object): void {
  const claims = { sub, groups: [], email: `${sub}@example.com`, email_verified: true, ...more };
  provider.idToken = new JwtService().sign(claims, {
    privateKey: provider.key,
    algorithm: 'RS256',
    issuer: provider.issuer,
    audience: stage.provider.settings.OIDC_CLIENT_ID,
    expiresIn: 600,
  });
}

async function signIn(claims: object, app = strict): Promise<ApiReply<any>> {
  const { flow, authorization_url } = (await app.api.post('/auth/sso', BEGINNING)).body;
  const { state, nonce } = Object.fromEntries(new URL(authorization_url).searchParams);
  say({ ...claims, nonce });
  return app.api.post('/auth/sso/tokens', { flow, ...ENDING, query: `code=x&state=${state}` });
}

const refresh = ({ body }: ApiReply<any>, app = strict) =>
  app.api.post('/auth/refresh', { refresh_token: body.refresh_token });

describe('A demanded strength of sign-ins', () => {
  it('is asked of the provider', async () => {
    const { authorization_url } = (await strict.api.post('/auth/sso', BEGINNING)).body;
    const asked = new URL(authorization_url).searchParams;
    expect(asked.get('acr_values')).toBe('gold platinum');
    expect(JSON.parse(asked.get('claims')!)).toEqual({
      id_token: { acr: { essential: true, values: ['gold', 'platinum'] }, amr: { essential: true } },
    });
  });

  it.each([
    ['neither claim', {}],
    ['another acr', { ...STRONG, acr: 'silver' }],
    ['a list as acr', { ...STRONG, acr: ['gold'] }],
    ['all that is demanded as one text', { ...STRONG, acr: 'gold platinum' }],
    ['no amr', { acr: 'gold' }],
    ['another amr', { acr: 'gold', amr: ['pwd'] }],
    ['a text as amr', { acr: 'gold', amr: 'mfa' }],
  ])('refuses a newcomer with %s, and makes no account', async (_, claims) => {
    const reply = await signIn(claims);
    expectError(reply, 403, /too weak .* acr gold or platinum and amr mfa or hwk: sign in again/);
    expect(reply.body.code).toBe('sign_in_too_weak');
    expect((await stage.operator.api.get('/users?limit=1')).body[0].email).not.toBe(`${sub}@example.com`);
    const entries = async () =>
      (await stage.operator.api.get('/audit?action=user.login&outcome=refused&limit=1')).body;
    await until(async () => (await entries())[0]?.details.reason.includes('too weak'));
  });

  it('refuses a person with an account, and names it in the audit log', async () => {
    const first = await signIn(STRONG);
    const { id } = (await strict.api.as(first.body.access_token).get('/auth/me')).body;
    expectError(await signIn({ acr: 'gold' }), 403, /too weak/);
    await until(async () => (await stage.actsOn(id)).at(-1) === 'user.login refused');
  });

  it('lets sign-ins and their refreshes pass that prove it, also where a refresh leaves the claims out', async () => {
    for (const claims of [STRONG, { acr: 'platinum', amr: ['hwk'] }]) {
      const session = await signIn(claims);
      expect(session.status).toBe(200);
      say({});
      const second = await refresh(session);
      expect([second.status, (await refresh(second)).status]).toEqual([200, 200]);
    }
  });

  it('ends a session at its refresh when the provider says less by then', async () => {
    const session = await signIn(STRONG);
    say({ acr: 'silver' });
    const refused = await refresh(session);
    expectError(refused, 401, /too weak/);
    expect(refused.body.code).toBe('sign_in_too_weak');
    say(STRONG);
    expectError(await refresh(session), 401, /too weak/);
  });

  it('ends sessions at their refresh that were opened before it was demanded, and none that a password has opened', async () => {
    const session = await signIn({}, lax);
    expect(session.status).toBe(200);
    const { id } = (await strict.api.as(session.body.access_token).get('/auth/me')).body;
    expectError(await refresh(session), 401, /too weak/);
    // As the version before leaves it.
    await stage.service.database.query('UPDATE sessions SET sign_in_proof = NULL WHERE user_id = $1', [id]);
    expectError(await refresh(session), 401, /too weak/);
    await until(async () => (await stage.actsOn(id)).includes('session.refresh refused'));
    const { refreshToken } = stage.operator;
    const ofPassword = await strict.api.post('/auth/refresh', { refresh_token: refreshToken });
    expect(ofPassword.status).toBe(200);
  });

  it('is also asked of the tokens that assistants get from the provider', async () => {
    stage.newcomer();
    await stage.signIn();
    const settings = { ...stage.provider.settings, ...GROUP_SETTINGS, ...DEMAND, PUBLIC_URL: ADDRESS };
    const app = await startTestApp({ database: stage.service.database, settings });
    try {
      const statusWith = async (claims: Record<string, unknown>) => {
        const token = stage.provider.accessToken(`${ADDRESS}/mcp`, claims);
        const response = await fetch(`${app.url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        });
        return response.status;
      };
      expect(await statusWith({})).toBe(401);
      expect(await statusWith({ acr: 'gold', amr: ['pwd'] })).toBe(401);
      expect(await statusWith(STRONG)).toBe(200);
    } finally {
      await app.close();
    }
  });
});
