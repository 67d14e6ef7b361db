import { JwtService } from '@nestjs/jwt';
import { ConcurrentRequests } from '../src/http/concurrent-requests.js';
import { MisbehavingProvider } from './builders/misbehaving-provider.js';
import {
  GROUP_SETTINGS,
  type GroupProject,
  projectWithGroups,
  refresh,
  type SignedIn,
  signInWith,
} from './builders/sso-groups.js';
import { BEGINNING, ENDING, SsoStage } from './builders/single-sign-on.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

let stage: SsoStage;
let project: GroupProject;

beforeAll(async () => {
  stage = await SsoStage.open(GROUP_SETTINGS, { conformIdTokenClaims: false });
  project = await projectWithGroups(stage.service, { group: 'makers', role: 'deployer' });
});

beforeEach(() => stage.newcomer());

afterAll(async () => {
  await expectCleanAudit(stage.service.database);
  await stage.close();
});

describe('A provider that puts groups into ID tokens', () => {
  it('is trusted at the sign-in and at each refresh', async () => {
    const session = await signInWith(stage, ['makers']);
    expect((await session.api.get(project.path)).body.role).toBe('deployer');
    stage.provider.change({ groups: [] });
    const after = await refresh(session, stage.service);
    await withinASecond(async () => (await after.api.get(project.path)).status === 404);
  });

  it('gets its scopes of groups and of refresh tokens, which it knows', async () => {
    const { authorization_url } = await stage.begin();
    const scope = new URL(authorization_url).searchParams.get('scope');
    expect(scope).toBe('openid email profile groups offline_access');
  });
});

describe('A provider that misbehaves at a refresh', () => {
  let provider: MisbehavingProvider;
  let service: TestApp;

  beforeEach(async () => {
    provider = await MisbehavingProvider.start();
    provider.refreshToken = 'refresh';
    service = await startTestApp({
      database: stage.service.database,
      settings: { ...stage.provider.settings, ...GROUP_SETTINGS, OIDC_ISSUER: provider.issuer },
    });
  });

  afterEach(async () => {
    await service.close();
    await provider.close();
  });

  /** The provider's claims about a person. */
  function say(sub: string, groups: readonly string[], nonce?: string): void {
    const claims = {
      sub,
      groups,
      email: `${sub}@example.com`,
      email_verified: true,
      ...(nonce && { nonce }),
    };
    provider.idToken = new JwtService().sign(claims, {
      privateKey: provider.key,
      algorithm: 'RS256',
      issuer: provider.issuer,
      audience: stage.provider.settings.OIDC_CLIENT_ID,
      expiresIn: 600,
    });
  }

  async function signIn(sub: string): Promise<SignedIn> {
    const { flow, authorization_url } = (await service.api.post('/auth/sso', BEGINNING)).body;
    const { state, nonce } = Object.fromEntries(new URL(authorization_url).searchParams);
    say(sub, ['makers'], nonce);
    const { status, body } = await service.api.post('/auth/sso/tokens', {
      ...{ flow, ...ENDING },
      query: `code=x&state=${state}`,
    });
    expect(status).toBe(200);
    const api = service.api.as(body.access_token);
    const { id } = (await api.get('/auth/me')).body;
    const tokens = { accessToken: body.access_token, refreshToken: body.refresh_token };
    return { id, api, ...tokens, expiresIn: body.expires_in };
  }

  it('delays no request for long, takes no slot and no connection, and is then left alone for a while', async () => {
    const session = await signIn('hanging');
    provider.behaviour = 'never';
    const reply = refresh(session, service);
    await until(() => provider.waiting > 0);
    expect(service.app.get(ConcurrentRequests).takenOf('open')).toBe(0);
    const inTransactions = await service.database.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
    );
    expect(inTransactions).toHaveLength(0);
    const next = await reply;
    expect((await next.api.get(project.path)).body.role).toBe('deployer');
    const asked = provider.paths.length;
    await refresh(next, service);
    expect(provider.paths).toHaveLength(asked);
  });

  it('gives nothing to another person: an answer about a different one is refused', async () => {
    const session = await signIn('ada');
    say('eve', []);
    const next = await refresh(session, service);
    expect((await next.api.get(project.path)).body.role).toBe('deployer');
    say('ada', []);
    await refresh(next, service);
    await withinASecond(async () => (await next.api.get(project.path)).status === 404);
  });
});
