import { GOOD_PASSWORD, type Person, registerPerson } from './builders/people.js';
import { AuthenticatorApp } from './builders/second-factors.js';
import { SsoStage } from './builders/single-sign-on.js';
import { until } from './harness/until.js';
import { withinASecond } from './harness/within-a-second.js';

let stage: SsoStage;

beforeAll(async () => {
  stage = await SsoStage.open();
});

beforeEach(() => stage.newcomer());

afterAll(() => stage.close());

describe('A sign-in', () => {
  it('is refused when the account is deactivated', async () => {
    const account = await stage.accountOf(await stage.signIn());
    await stage.operator.api.patch(`/users/${account.id}`, { is_active: false });
    const reply = await stage.signIn();
    expect(reply.status).toBe(403);
    expect(reply.body.detail).toBe('Account is deactivated');
    await until(async () => (await stage.actsOn(account.id)).at(-1) === 'user.login refused');
  });

  it('is refused when the provider returns no email for a person without an account', async () => {
    stage.provider.person = { sub: stage.provider.person.sub };
    expect((await stage.signIn()).status).toBe(403);
  });

  it('is refused for persons without an account when registration is closed, except for ADMIN_EMAILS', async () => {
    const account = await stage.accountOf(await stage.signIn());
    expect((await stage.accountOf(await stage.signIn(stage.company))).id).toBe(account.id);
    stage.provider.person = { sub: 'stranger', email: 'stranger@example.com', email_verified: true };
    expect((await stage.signIn(stage.company)).body.detail).toContain('registration is closed');
    stage.provider.person = { sub: 'boss', email: 'boss@example.com', email_verified: true };
    expect(await stage.accountOf(await stage.signIn(stage.company))).toMatchObject({ is_admin: true });
  });
});

describe('The email of another account', () => {
  let person: Person;

  beforeEach(async () => {
    person = await registerPerson(stage.service);
    stage.provider.person = { ...stage.provider.person, email: person.email };
  });

  it('is not taken over, and the person reads the next step', async () => {
    const reply = await stage.signIn();
    expect(reply.status).toBe(403);
    expect(reply.body.detail).toContain('Another account has your email address');
  });

  it('does not link the account when the provider has not verified it', async () => {
    stage.provider.person = { ...stage.provider.person, email_verified: false };
    expect((await stage.signIn(stage.company)).status).toBe(403);
    expect((await person.api.get('/auth/me')).status).toBe(200);
  });

  it('links the account when OIDC_LINK_BY_EMAIL is true, and ends its password, factors, sessions and user keys', async () => {
    const { key } = (await person.api.post('/api-keys', { name: 'ci' })).body;
    expect((await stage.service.api.as(key).get('/agents')).status).toBe(200);
    const { id, secret } = (await person.api.post('/auth/factors/totp', { name: 'a phone' })).body;
    const code = new AuthenticatorApp(secret).at(Date.now());
    expect((await person.api.post(`/auth/factors/${id}/confirm`, { code })).status).toBe(200);
    const tabs = await Promise.all([stage.signIn(stage.company), stage.signIn(stage.company)]);
    for (const tab of tabs) expect([tab.status, tab.body]).toEqual([200, expect.any(Object)]);
    expect(await stage.accountOf(await stage.signIn())).toMatchObject({
      id: person.id,
      has_second_factor: false,
    });
    expect((await person.api.get('/auth/me')).status).toBe(401);
    await withinASecond(async () => (await stage.service.api.as(key).get('/agents')).status === 401);
    const password = await stage.service.api.post('/auth/login', {
      email: person.email,
      password: GOOD_PASSWORD,
    });
    expect(password.status).toBe(401);
    expect(await stage.actsOn(person.id)).toEqual(expect.arrayContaining(['identity.link success']));
  });
});

describe('An address that the provider has not verified', () => {
  it("gives no account, so that its verified owner is not linked into a stranger's", async () => {
    const { email } = stage.provider.person;
    stage.provider.person = { ...stage.provider.person, email_verified: false };
    const refused = await stage.signIn();
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      'The identity provider has not verified your email address: verify it there',
    ]);
    stage.provider.person = { sub: `owner of ${email}`, email: email!, email_verified: true };
    expect(await stage.accountOf(await stage.signIn())).toMatchObject({ email });
  });

  it('leaves existing accounts open to their people', async () => {
    const account = await stage.accountOf(await stage.signIn());
    stage.provider.person = { ...stage.provider.person, email_verified: false };
    expect((await stage.accountOf(await stage.signIn())).id).toBe(account.id);
  });
});

describe('An address that the provider has given to another person', () => {
  it('does not open the account of the first, and operators see the refused link', async () => {
    const first = await stage.accountOf(await stage.signIn());
    stage.provider.person = { sub: `successor of ${first.id}`, email: first.email, email_verified: true };
    for (const app of [stage.company, stage.service]) {
      const reply = await stage.signIn(app);
      expect([reply.status, reply.body.detail]).toEqual([
        403,
        'Your email address belonged to another person at this identity provider: ask an operator',
      ]);
    }
    await until(async () => {
      const acts = await stage.actsOn(first.id);
      return acts.filter((act) => act === 'identity.link refused').length === 2;
    });
  });
});

describe('ADMIN_EMAILS', () => {
  it('makes a person with a verified email an operator once, with an entry in the audit log', async () => {
    const account = await stage.accountOf(await stage.signIn());
    expect(account).toMatchObject({ is_admin: false });
    const listed = { ...stage.provider.person, email: 'someone@example.com' };
    stage.provider.person = { ...listed, email_verified: false };
    expect(await stage.accountOf(await stage.signIn())).toMatchObject({ id: account.id, is_admin: false });
    stage.provider.person = { ...listed, email_verified: true };
    expect(await stage.accountOf(await stage.signIn())).toMatchObject({ id: account.id, is_admin: true });
    await stage.signIn();
    const acts = await stage.actsOn(account.id);
    expect(acts.filter((act) => act === 'user.update success')).toHaveLength(1);
  });

  it('does not apply to an email of a registration', async () => {
    const { api } = await registerPerson(stage.service, 'chief@example.com');
    expect((await api.get('/auth/me')).body).toMatchObject({ is_admin: false });
  });
});

describe('PASSWORD_LOGIN=false', () => {
  it('closes every password route and keeps sessions', async () => {
    const { email } = stage.operator;
    const asOperator = stage.company.api.as(stage.operator.accessToken);
    expect((await stage.company.api.get('/auth/methods')).body).toEqual({
      password: false,
      registration: false,
      creates_operator: false,
      sso: true,
      groups: false,
    });
    const password = GOOD_PASSWORD;
    const replies = [
      await stage.company.api.post('/auth/login', { email, password }),
      await stage.company.api.post('/auth/register', { email: 'new@example.com', password }),
      await stage.company.api.post('/auth/password-reset', { token: 'some token', new_password: password }),
      await asOperator.post('/auth/password', { current_password: password, new_password: password }),
      await asOperator.post(`/users/${stage.operator.id}/password-reset`),
    ];
    for (const { status, body } of replies) {
      expect([status, body.detail]).toEqual([403, 'Password login is off: log in with single sign-on']);
    }
    expect((await asOperator.get('/auth/me')).status).toBe(200);
  });
});
