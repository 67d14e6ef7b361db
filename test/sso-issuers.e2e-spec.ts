import { JwtService } from '@nestjs/jwt';
import { MisbehavingProvider } from './builders/misbehaving-provider.js';
import { BEGINNING, ENDING, SsoStage } from './builders/single-sign-on.js';
import { startTestApp } from './harness/test-app.js';

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open();
  stage.newcomer();
});

afterAll(() => stage.close());

describe('A person of another identity provider', () => {
  it('does not get the account of a person with the same subject', async () => {
    const first = await stage.accountOf(await stage.signIn());
    const provider = await MisbehavingProvider.start();
    const app = await startTestApp({
      database: stage.service.database,
      settings: { ...stage.provider.settings, OIDC_ISSUER: provider.issuer },
    });
    try {
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
        },
      );
      const body = { flow, ...ENDING, query: `code=x&state=${state}` };
      const second = await stage.accountOf(await app.api.post('/auth/sso/tokens', body));
      expect(second).toMatchObject({ email: 'namesake@example.com' });
      expect(second.id).not.toBe(first.id);
    } finally {
      await app.close();
      await provider.close();
    }
  });
});
