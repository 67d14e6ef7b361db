import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import {
  answerLogin,
  askedAtLogin,
  codeOf,
  type EnrolledTotp,
  enrolTotp,
  forgetProofs,
} from '../builders/second-factors.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

let service: TestApp;
let operator: Person;
let factor: EnrolledTotp;
let person: Person;
let projectId: string;

beforeAll(async () => {
  stopClock();
  service = await startTestApp({ settings: { OIDC_GROUPS_CLAIM: '' } });
  operator = await registerOperator(service);
  factor = await enrolTotp(operator.api);
  projectId = (await operator.api.post('/projects', { name: 'Invoices' })).body.id;
});

beforeEach(async () => {
  person = await registerPerson(service);
});

afterAll(async () => {
  await service.close();
  letClockRun();
});

const stepUp = (proof: object, { api }: Pick<Person, 'api'> = operator) => api.post('/auth/step-up', proof);

/** Calls that need a step-up, and succeed after it. */
const calls: Readonly<Record<string, () => Promise<{ method: string; path: string; body?: object }>>> = {
  'a key for oneself': async () => ({ method: 'POST', path: '/api-keys', body: { name: 'a' } }),
  'a key of a project': async () => ({
    method: 'POST',
    path: '/api-keys',
    body: { name: 'a', project_id: projectId, role: 'viewer' },
  }),
  'the rotation of a key': async () => {
    await stepUp({ code: factor.app.next() });
    const { id } = (await operator.api.post('/api-keys', { name: 'a' })).body;
    return { method: 'POST', path: `/api-keys/${id}/rotate`, body: {} };
  },
  "a link for somebody's password": async () => ({
    method: 'POST',
    path: `/users/${person.id}/password-reset`,
  }),
  'a new operator': async () => ({ method: 'PATCH', path: `/users/${person.id}`, body: { is_admin: true } }),
  'the end of the factors of somebody else': async () => ({
    method: 'DELETE',
    path: `/users/${person.id}/factors`,
  }),
  "an invitation with an owner's role": async () => ({
    method: 'POST',
    path: '/users',
    body: { email: `a${person.email}`, projects: [{ project_id: projectId, role: 'owner' }] },
  }),
  'an owner who is added': async () => ({
    method: 'POST',
    path: `/projects/${projectId}/members`,
    body: { email: person.email, role: 'owner' },
  }),
  'a member who becomes an owner': async () => {
    const members = `/projects/${projectId}/members`;
    await operator.api.post(members, { email: person.email, role: 'viewer' });
    return { method: 'PATCH', path: `${members}/${person.id}`, body: { role: 'owner' } };
  },
  'a new password': async () => ({
    method: 'POST',
    path: '/auth/password',
    body: { current_password: GOOD_PASSWORD, new_password: GOOD_PASSWORD },
  }),
  'one more factor': async () => ({ method: 'POST', path: '/auth/factors/totp', body: { name: 'a' } }),
  'new recovery codes': async () => ({ method: 'POST', path: '/auth/recovery-codes' }),
};

describe('A step-up', () => {
  it.each(Object.keys(calls))('is needed for %s', async (name) => {
    const { method, path, body } = await calls[name]!();
    await forgetProofs(service, operator);
    const call = () => operator.api.request(method, path, { body });
    expect(codeOf(await call())).toBe('403 step_up_required');
    expect(codeOf(await stepUp({ code: factor.app.next() }))).toBe('200');
    expect((await call()).status).toBeLessThan(300);
  });

  it('is not needed for harmless acts, nor by an account without a factor', async () => {
    await forgetProofs(service, operator);
    const viewer = { email: person.email, role: 'viewer' };
    expect((await operator.api.post(`/projects/${projectId}/members`, viewer)).status).toBe(201);
    expect((await operator.api.patch(`/users/${person.id}`, { is_active: true })).status).toBe(200);
    await forgetProofs(service, person);
    expect((await person.api.post('/api-keys', { name: 'a' })).status).toBe(201);
  });

  it('takes each code once, no password, and lasts ten minutes', async () => {
    await forgetProofs(service, operator);
    expect(codeOf(await stepUp({ password: GOOD_PASSWORD }))).toBe('400 wrong_second_factor');
    const code = factor.app.next();
    const { fresh_until: until } = (await stepUp({ code })).body;
    const [proof] = await service.database.query<{ at: string }>(
      'SELECT max(proven_at)::text AS at FROM sessions WHERE user_id = $1',
      [operator.id],
    );
    expect(Date.parse(until) - Date.parse(proof!.at)).toBe(600_000);
    expect(codeOf(await stepUp({ code }))).toBe('400 wrong_second_factor');
    expect(codeOf(await stepUp({}))).toBe('422 validation_failed');
    const answer = { id: 'a', response: {} };
    expect(codeOf(await stepUp({ passkey: answer }))).toBe('422 validation_failed');
    expect(codeOf(await stepUp({ passkey: answer, token: 'made up' }))).toBe('400 second_factor_expired');
  });

  it('belongs to its session: a refresh keeps it, another login does not get it, and another instance knows it', async () => {
    const other = await startTestApp({ database: service.database });
    try {
      const { token } = await askedAtLogin(service, operator);
      const second = (await answerLogin(service, token, { code: factor.app.next() })).body;
      await forgetProofs(service, operator);
      const key = (accessToken: string, at = other) =>
        at.api.as(accessToken).post('/api-keys', { name: 'a' });
      expect(codeOf(await key(second.access_token))).toBe('403 step_up_required');
      expect(
        codeOf(await stepUp({ code: factor.app.next() }, { api: service.api.as(second.access_token) })),
      ).toBe('200');
      expect((await key(second.access_token)).status).toBe(201);
      expect(codeOf(await key(operator.accessToken))).toBe('403 step_up_required');
      const refreshed = await service.api.post('/auth/refresh', { refresh_token: second.refresh_token });
      expect((await key(refreshed.body.access_token)).status).toBe(201);
    } finally {
      await other.close();
    }
  });

  it('is not inherited by a session that was open before the first factor', async () => {
    const before = (await service.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD }))
      .body;
    await enrolTotp(person.api);
    expect(codeOf(await service.api.as(before.access_token).post('/api-keys', { name: 'a' }))).toBe(
      '403 step_up_required',
    );
    expect((await person.api.post('/api-keys', { name: 'a' })).status).toBe(201);
  });

  it('by the password is needed before the first factor is added', async () => {
    await forgetProofs(service, person);
    const add = () => person.api.post('/auth/factors/totp', { name: 'a' });
    expect(codeOf(await add())).toBe('403 step_up_required');
    expect((await person.api.post('/auth/step-up/options')).body.methods).toEqual(['password']);
    expect(codeOf(await stepUp({ password: 'Wrong-horse-7' }, person))).toBe('400 wrong_password');
    expect(codeOf(await stepUp({ password: GOOD_PASSWORD }, person))).toBe('200');
    expect((await add()).status).toBe(201);
  });
});

describe('An API key of an account with a factor', () => {
  it('names no owner, and may do all other acts', async () => {
    await stepUp({ code: factor.app.next() });
    const { key } = (await operator.api.post('/api-keys', { name: 'a', scopes: ['members', 'read'] })).body;
    const add = (role: string, email = person.email) =>
      service.api.as(key).post(`/projects/${projectId}/members`, { email, role });
    const refused = await add('owner');
    expect(codeOf(refused)).toBe('403 step_up_required');
    expect(refused.body.message).toContain("an API key can't do it");
    expect((await add('viewer')).status).toBe(201);
  });
});

it('An account without a password can add no factor: its identity provider asks for one', async () => {
  await service.database.query('UPDATE users SET password_hash = NULL WHERE id = $1', [person.id]);
  await forgetProofs(service, person);
  expect(codeOf(await person.api.post('/auth/factors/totp', { name: 'a' }))).toBe('409 password_missing');
  expect(codeOf(await person.api.post('/auth/factors/passkeys/options'))).toBe('409 password_missing');
});
