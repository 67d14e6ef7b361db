import { BEGINNING, ENDING, SsoStage } from './builders/single-sign-on.js';
import { startTestApp } from './harness/test-app.js';

const JWT_SECRET = 'a secret for tests, of more than thirty-two bytes';

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open();
});

beforeEach(() => stage.newcomer());

afterAll(() => stage.close());

describe('The flow of a sign-in', () => {
  it('is useless without the verifier of the client that began it', async () => {
    const { authorization_url, flow } = await stage.begin();
    const query = await stage.atProvider(authorization_url);
    const finish = (code_verifier: string) =>
      stage.service.api.post('/auth/sso/tokens', { flow, query, code_verifier });
    const refused = await finish('x'.repeat(43));
    // The service itself refuses it, so that a provider without PKCE is not relied on.
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(/was started elsewhere/),
    ]);
    expect((await finish(ENDING.code_verifier)).status).toBe(200);
  });

  it('does not contain the verifier', async () => {
    const { flow } = await stage.begin();
    const claims = Buffer.from(flow.split('.')[1]!, 'base64url').toString();
    expect(claims).not.toContain(ENDING.code_verifier);
    expect(JSON.parse(claims)).toMatchObject({ challenge: BEGINNING.code_challenge, type: 'sso' });
  });

  it('is refused by another installation that has the same secret, as its own are here', async () => {
    const other = await startTestApp({
      database: stage.service.database,
      settings: { ...stage.provider.settings, JWT_SECRET, PUBLIC_URL: 'https://other.example.com' },
    });
    try {
      const here = await stage.begin();
      const there = await stage.begin(other);
      const query = await stage.atProvider(there.authorization_url);
      expect((await stage.finish(here.flow, query, other)).body.code).toBe('sign_in_expired');
      expect((await stage.finish(there.flow, query)).body.code).toBe('sign_in_expired');
      expect((await stage.finish(there.flow, query, other)).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('is begun only with a challenge', async () => {
    for (const code_challenge of [undefined, 'short', 'x'.repeat(44)])
      expect((await stage.service.api.post('/auth/sso', { code_challenge })).status).toBe(422);
  });
});
