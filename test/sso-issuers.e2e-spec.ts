import { JwtService, type JwtSignOptions } from '@nestjs/jwt';
import { MisbehavingProvider } from './builders/misbehaving-provider.js';
import { BEGINNING, ENDING, SsoStage } from './builders/single-sign-on.js';
import { startTestApp, type TestApp } from './harness/test-app.js';

let stage: SsoStage;
let provider: MisbehavingProvider;
let app: TestApp;

beforeAll(async () => {
  stage = await SsoStage.open();
  stage.newcomer();
  provider = await MisbehavingProvider.start();
  app = await startTestApp({
    database: stage.service.database,
    settings: { ...stage.provider.settings, OIDC_ISSUER: provider.issuer },
  });
});

afterAll(async () => {
  await app.close();
  await provider.close();
  await stage.close();
});

/** Signs in at the other provider, whose ID token has the subject of the stage's. */
async function signInThere(differences: JwtSignOptions = {}) {
  const { flow, authorization_url } = (await app.api.post('/auth/sso', BEGINNING)).body;
  const { state, nonce } = Object.fromEntries(new URL(authorization_url).searchParams);
  const { sub } = stage.provider.person;
  provider.idToken = new JwtService().sign(
    { sub, nonce, email: 'namesake@example.com', email_verified: true },
    {
      privateKey: provider.key,
      algorithm: 'RS256',
      issuer: provider.issuer,
      audience: stage.provider.settings.OIDC_CLIENT_ID,
      expiresIn: 60,
      ...differences,
    },
  );
  return app.api.post('/auth/sso/tokens', { flow, ...ENDING, query: `code=x&state=${state}` });
}

describe('A person of another identity provider', () => {
  it('does not get the account of a person with the same subject', async () => {
    const first = await stage.accountOf(await stage.signIn());
    const second = await stage.accountOf(await signInThere());
    expect(second).toMatchObject({ email: 'namesake@example.com' });
    expect(second.id).not.toBe(first.id);
  });
});

describe('An ID token', () => {
  it.each<[string, JwtSignOptions]>([
    ['of another client of the provider', { audience: 'another-client' }],
    ['of another provider', { issuer: 'https://evil.example' }],
    ['that has expired', { expiresIn: -3_600 }],
  ])('is refused when it is one %s', async (_, differences) => {
    const reply = await signInThere(differences);
    expect(reply.status).toBe(502);
    expect(reply.body.access_token).toBeUndefined();
  });
});
