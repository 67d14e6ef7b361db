import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import {
  GROUP_SETTINGS,
  type GroupProject,
  projectWithGroups,
  refresh,
  type SignedIn,
  signInWith,
} from './builders/sso-groups.js';
import { SsoStage } from './builders/single-sign-on.js';
import { expectCleanAudit } from './harness/clean-audit.js';
import { EventStream } from './harness/event-stream.js';
import { expectError } from './harness/error-shape.js';
import { resealSecrets } from './harness/reseal-secrets.js';
import { withinASecond } from './harness/within-a-second.js';

const NEXT_KEY = 'the next key for tests, of more than thirty-two bytes';

let stage: SsoStage;
let project: GroupProject;

beforeAll(async () => {
  stage = await SsoStage.open(GROUP_SETTINGS);
  project = await projectWithGroups(stage.service, { group: 'makers', role: 'deployer' });
});

beforeEach(() => stage.newcomer());

afterAll(async () => {
  await expectCleanAudit(stage.service.database);
  await stage.close();
});

const roleOf = async ({ api }: SignedIn) => (await api.get(project.path)).body.role as string | undefined;

/** Seconds until the person's membership by a group ends; undefined: there is none. */
async function remainingSeconds({ id }: SignedIn): Promise<number | undefined> {
  const [row] = await stage.service.database.query<{ seconds: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float8 AS seconds FROM project_members
     WHERE project_id = $1 AND user_id = $2 AND source = 'group'`,
    [project.id, id],
  );
  return row?.seconds;
}

/** Changes when the membership ends, as if time had passed, and lets every instance read it again. */
async function endIn({ id }: SignedIn, milliseconds: number): Promise<void> {
  await stage.service.database.query(
    `UPDATE project_members SET expires_at = now() + make_interval(secs => $3::float8 / 1000)
     WHERE project_id = $1 AND user_id = $2 AND source = 'group'`,
    [project.id, id, milliseconds],
  );
  await stage.service.database.query(`SELECT pg_notify('revoked', 'memberships:' || $1)`, [id]);
}

const keptGrants = ({ id }: SignedIn) =>
  stage.service.database.query<{ provider_grant: string | null; provider_asked_at: string | null }>(
    'SELECT provider_grant, provider_asked_at FROM sessions WHERE user_id = $1',
    [id],
  );

/** The grant of the person's only session. */
const keptGrant = async (session: SignedIn) => (await keptGrants(session))[0]!.provider_grant;

describe('A refresh of a session', () => {
  it('confirms the groups for another half an hour, again and again', async () => {
    let session = await signInWith(stage, ['makers']);
    for (let count = 1; count <= 3; count++) {
      await endIn(session, 60_000);
      session = await refresh(session, stage.service);
      expect(await remainingSeconds(session)).toBeGreaterThan(1_700);
      expect(await remainingSeconds(session)).toBeLessThanOrEqual(1_800);
      expect(await roleOf(session)).toBe('deployer');
    }
    // The access token ends first, so that no membership is gone when a client refreshes.
    expect(session.expiresIn).toBe(1_500);
  });

  it('ends the membership of a person who has left the group, and their streams, on every instance', async () => {
    const session = await signInWith(stage, ['makers']);
    const elsewhere = stage.company.api.as(session.accessToken);
    expect((await elsewhere.get(project.path)).status).toBe(200);
    const stream = await EventStream.open(stage.company.url, `/events/stream?project_id=${project.id}`, {
      credential: session.accessToken,
    });
    expect(stream.status).toBe(200);
    stage.provider.change({ groups: ['others'] });
    expect(await roleOf(session)).toBe('deployer');
    const after = await refresh(session, stage.service);
    await withinASecond(async () => (await elsewhere.get(project.path)).status === 404);
    expect(await stream.ended()).toBe('credential');
    expectError(await after.api.get(project.path), 404);
    expect((await after.api.get('/auth/me')).status).toBe(200);
  });

  it('gives the role to a person who has joined the group, on every instance', async () => {
    const session = await signInWith(stage, []);
    const elsewhere = stage.company.api.as(session.accessToken);
    expectError(await elsewhere.get(project.path), 404);
    stage.provider.change({ groups: ['makers'] });
    await refresh(session, stage.service);
    await withinASecond(async () => (await elsewhere.get(project.path)).body.role === 'deployer');
  });

  it('of several tabs at once, on two instances, uses each refresh token of the provider once', async () => {
    const session = await signInWith(stage, ['makers']);
    const tabs = [stage.service, stage.company, stage.service, stage.company];
    const refreshed = await Promise.all(tabs.map((instance) => refresh(session, instance)));
    expect(new Set(refreshed.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    // The provider ends a grant whose refresh token comes twice: the session would keep none.
    const before = stage.provider.refreshes;
    await refresh(refreshed[0]!, stage.service);
    expect(stage.provider.refreshes).toBe(before + 1);
    expect((await keptGrants(session))[0]).toEqual({
      provider_grant: expect.any(String),
      provider_asked_at: null,
    });
  });

  it('that was killed while it asked is made up for by one a minute later', async () => {
    const session = await signInWith(stage, ['makers']);
    await endIn(session, 60_000);
    const askedAt = (seconds: number) =>
      stage.service.database.query(
        'UPDATE sessions SET provider_asked_at = now() - make_interval(secs => $2) WHERE user_id = $1',
        [session.id, seconds],
      );
    await askedAt(30);
    const during = await refresh(session, stage.service);
    expect(await remainingSeconds(session)).toBeLessThan(60);
    await askedAt(61);
    await refresh(during, stage.service);
    expect(await remainingSeconds(session)).toBeGreaterThan(1_700);
  });

  it('of a session that a password has opened does not ask the provider', async () => {
    const before = stage.provider.refreshes;
    const { refreshToken } = stage.operator;
    const reply = await stage.service.api.post('/auth/refresh', { refresh_token: refreshToken });
    expect([reply.status, reply.body.expires_in, stage.provider.refreshes]).toEqual([200, 1_800, before]);
  });
});

describe('A membership by a group that nobody confirms', () => {
  it('ends by itself, with its streams, while the session continues', async () => {
    const session = await signInWith(stage, ['makers']);
    await endIn(session, 1_500);
    const stream = await EventStream.open(stage.company.url, `/events/stream?project_id=${project.id}`, {
      credential: session.accessToken,
    });
    expect([stream.status, await roleOf(session)]).toEqual([200, 'deployer']);
    expect(await stream.ended()).toBe('credential');
    await withinASecond(async () => (await roleOf(session)) === undefined);
    const { body } = await project.owner.api.get(`${project.path}/members`);
    expect(body.map(({ user_id: id }: { user_id: string }) => id)).not.toContain(session.id);
    await stage.service.app.get(PeriodicJobs).runOnce('projectPurge');
    expect(await remainingSeconds(session)).toBeUndefined();
    const { body: entries } = await project.owner.api.get('/audit?action=member.remove');
    expect(entries[0].details).toMatchObject({
      user_id: session.id,
      reason: 'The identity provider has not confirmed the membership for 30 minutes',
    });
    expect(await roleOf(await refresh(session, stage.service))).toBe('deployer');
  });

  it('stays until its end while the provider is away, and the session can be refreshed', async () => {
    const session = await signInWith(stage, ['makers']);
    await endIn(session, 60_000);
    stage.provider.isAway = true;
    const during = await refresh(session, stage.company);
    expect(await roleOf(during)).toBe('deployer');
    expect(await remainingSeconds(session)).toBeLessThan(60);
    stage.provider.isAway = false;
    expect(await roleOf(await refresh(during, stage.service))).toBe('deployer');
    expect(await remainingSeconds(session)).toBeGreaterThan(1_700);
  });

  it('ends where the provider has ended the grant, which the session forgets', async () => {
    const session = await signInWith(stage, ['makers']);
    await endIn(session, 60_000);
    stage.provider.forget();
    const after = await refresh(session, stage.service);
    expect(await keptGrant(session)).toBeNull();
    expect([await roleOf(after), await remainingSeconds(session)]).toEqual(['deployer', expect.any(Number)]);
    expect(await remainingSeconds(session)).toBeLessThan(60);
    expect((await refresh(after, stage.service)).expiresIn).toBe(1_800);
  });

  it('lasts half an hour from the sign-in where the provider gives no refresh token', async () => {
    stage.provider.givesRefreshTokens = false;
    const session = await signInWith(stage, ['makers']);
    expect(await keptGrant(session)).toBeNull();
    expect(await remainingSeconds(session)).toBeGreaterThan(1_700);
    await refresh(session, stage.service);
    await endIn(session, 0);
    await withinASecond(async () => (await roleOf(session)) === undefined);
    expect(await roleOf(await signInWith(stage, ['makers']))).toBe('deployer');
  });
});

describe("The provider's refresh token", () => {
  it('is sealed in the session, and sealed again with everything else', async () => {
    const session = await signInWith(stage, ['makers']);
    const before = await keptGrant(session);
    expect(before).toMatch(/^sealed:[\w-]{8}:[\w-]+$/);
    const keys = {
      WEBHOOK_SECRET_KEY: NEXT_KEY,
      WEBHOOK_SECRET_KEY_PREVIOUS: GROUP_SETTINGS.WEBHOOK_SECRET_KEY,
    };
    expect(await resealSecrets(stage.service.database, keys)).toMatchObject({ code: 0, stderr: '' });
    const after = (await keptGrant(session))!;
    expect([after.slice(0, 7), after === before, after.slice(0, 16) === before!.slice(0, 16)]).toEqual([
      'sealed:',
      false,
      false,
    ]);
    // These instances don't know the new key: the session continues, and its groups are not confirmed.
    await endIn(session, 60_000);
    const next = await refresh(session, stage.service);
    expect(await remainingSeconds(session)).toBeLessThan(60);
    const back = {
      WEBHOOK_SECRET_KEY: GROUP_SETTINGS.WEBHOOK_SECRET_KEY,
      WEBHOOK_SECRET_KEY_PREVIOUS: NEXT_KEY,
    };
    expect(await resealSecrets(stage.service.database, back)).toMatchObject({ code: 0, stderr: '' });
    await refresh(next, stage.service);
    expect(await remainingSeconds(session)).toBeGreaterThan(1_700);
  });

  it('goes with the session', async () => {
    const session = await signInWith(stage, ['makers']);
    const { body } = await session.api.get('/auth/sessions');
    expect(JSON.stringify(body)).not.toContain('grant');
    await session.api.delete(`/auth/sessions/${body[0].id}`);
    expect(await keptGrants(session)).toEqual([]);
  });
});
