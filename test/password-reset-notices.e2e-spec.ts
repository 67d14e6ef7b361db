import { GOOD_PASSWORD, type Person, registerOperator, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { withinASecond } from './harness/within-a-second.js';

let service: TestApp;
let other: TestApp;
let operator: Person;
let owner: Person;

beforeAll(async () => {
  service = await startTestApp();
  other = await startTestApp({ database: service.database });
  operator = await registerOperator(service);
});

beforeEach(async () => {
  owner = await registerPerson(service);
});

afterAll(async () => {
  await other.close();
  await service.close();
});

const makeLink = () => operator.api.post(`/users/${owner.id}/password-reset`);

/** A client of the account after a new sign-in. */
async function signIn() {
  const body = { email: owner.email, password: GOOD_PASSWORD };
  const { access_token: token } = (await service.api.post('/auth/login', body)).body as {
    access_token: string;
  };
  return service.api.as(token);
}

describe('A link of an operator to set the password of an account', () => {
  it('ends the sessions of the account on every instance, and no other', async () => {
    const elsewhere = other.api.as(owner.accessToken);
    expect((await elsewhere.get('/auth/me')).status).toBe(200);
    expect((await makeLink()).status).toBe(200);
    expect((await owner.api.get('/auth/me')).status).toBe(401);
    const refreshed = await service.api.post('/auth/refresh', { refresh_token: owner.refreshToken });
    expect(refreshed.status).toBe(401);
    await withinASecond(async () => (await elsewhere.get('/auth/me')).status === 401);
    expect((await operator.api.get('/auth/me')).status).toBe(200);
  });

  it('is announced to its owner at the next sign-in, also in the audit log, until they change the password', async () => {
    expect((await owner.api.get('/auth/me')).body).toMatchObject({ password_reset_at: null });
    await makeLink();
    const api = await signIn();
    const { password_reset_at: at } = (await api.get('/auth/me')).body;
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
    const { body: entries } = await api.get('/audit?action=user.reset_password');
    expect(entries).toEqual([
      expect.objectContaining({ actor: `user:${operator.id}`, target_id: owner.id, outcome: 'success' }),
    ]);
    const change = { current_password: GOOD_PASSWORD, new_password: 'Another-Horse-8' };
    expect((await api.post('/auth/password', change)).status).toBe(200);
    expect((await api.get('/auth/me')).body).toMatchObject({ password_reset_at: null });
  });

  it('is announced after its use, because its user may not be the owner', async () => {
    const { token } = (await makeLink()).body;
    const used = await service.api.post('/auth/password-reset', { token, new_password: GOOD_PASSWORD });
    expect(used.status).toBe(200);
    const { body } = await (await signIn()).get('/auth/me');
    expect(body.password_reset_at).toEqual(expect.any(String));
  });

  it('is not announced for an invited account', async () => {
    const invited = await operator.api.post('/users', { email: 'invited@example.com' });
    expect(invited.body.user).toMatchObject({ password_reset_at: null });
  });
});
