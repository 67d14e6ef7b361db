import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from '../builders/people.js';
import {
  answerLogin,
  askedAtLogin,
  codeOf,
  type EnrolledTotp,
  enrolTotp,
} from '../builders/second-factors.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { withinASecond } from '../harness/within-a-second.js';

let service: TestApp;
let strict: TestApp;
let operator: Person;
let factor: EnrolledTotp;

beforeAll(async () => {
  stopClock();
  service = await startTestApp();
  strict = await startTestApp({
    settings: { SECOND_FACTOR_FOR_OPERATORS: 'true' },
    database: service.database,
  });
  operator = await registerOperator(service);
});

afterAll(async () => {
  await strict.close();
  await service.close();
  letClockRun();
});

describe('With SECOND_FACTOR_FOR_OPERATORS an operator without a factor', () => {
  it('can add one, log out and change the password, and nothing else until then', async () => {
    const there = strict.api.as(operator.accessToken);
    const everybody = (await operator.api.post('/api-keys', { name: 'a', scopes: ['read'], everybody: true }))
      .body;
    for (const path of ['/users', '/agents', '/projects', '/overview'])
      expect([path, codeOf(await there.get(path))]).toEqual([path, '403 second_factor_enrolment_required']);
    expect(codeOf(await strict.api.as(everybody.key).get('/agents'))).toBe(
      '403 second_factor_enrolment_required',
    );
    expect((await there.get('/auth/me')).body.has_second_factor).toBe(false);
    expect((await there.get('/auth/sessions')).status).toBe(200);
    expect((await there.post('/auth/step-up', { password: GOOD_PASSWORD })).status).toBe(200);
    factor = await enrolTotp(there);
    expect((await there.get('/users')).status).toBe(200);
    expect((await strict.api.as(everybody.key).get('/agents')).status).toBe(200);
  });

  it('includes a new operator, and no other person', async () => {
    const person = await registerPerson(strict);
    expect((await person.api.get('/agents')).status).toBe(200);
    await operator.api.post('/auth/step-up', { code: factor.app.next() });
    expect((await operator.api.patch(`/users/${person.id}`, { is_admin: true })).status).toBe(200);
    await withinASecond(async () => (await person.api.get('/agents')).status === 403);
    expect((await service.api.as(person.accessToken).get('/agents')).status).toBe(200);
  });
});

describe('An operator', () => {
  it("removes the factors of a person who has lost them, which ends that account's sessions and is audited", async () => {
    const person = await registerPerson(service);
    await enrolTotp(person.api);
    const { token } = await askedAtLogin(service, person);
    await operator.api.post('/auth/step-up', { code: factor.app.next() });
    expect((await operator.api.delete(`/users/${person.id}/factors`)).status).toBe(204);
    expect((await person.api.get('/auth/me')).status).toBe(401);
    expect(codeOf(await answerLogin(service, token, { code: '000000' }))).toBe('401 second_factor_expired');
    const login = await service.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD });
    expect(login.status).toBe(200);
    const own = service.api.as(login.body.access_token);
    expect((await own.get('/auth/factors')).body).toMatchObject({ factors: [], recovery_codes_left: 0 });
    const [entry] = (await operator.api.get('/audit?action=user.remove_factors')).body;
    expect(entry).toMatchObject({ target_id: person.id, details: { removed: 1 } });
    expect(codeOf(await person.api.delete(`/users/${operator.id}/factors`))).toBe('401 invalid_token');
  });

  it('sees in the list of accounts which have a factor', async () => {
    const { body } = await operator.api.get('/users');
    const found = body.find(({ id }: Person) => id === operator.id);
    expect(found.has_second_factor).toBe(true);
  });
});

it('A link to set a password does not get past the factor', async () => {
  const person = await registerPerson(service);
  const { app } = await enrolTotp(person.api);
  await operator.api.post('/auth/step-up', { code: factor.app.next() });
  const { token } = (await operator.api.post(`/users/${person.id}/password-reset`)).body;
  await service.api.post('/auth/password-reset', { token, new_password: GOOD_PASSWORD });
  const asked = await askedAtLogin(service, person);
  expect((await answerLogin(service, asked.token, { code: app.next() })).status).toBe(200);
});
