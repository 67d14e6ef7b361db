import { answerLogin, askedAtLogin, codeOf, enrolTotp, forgetProofs } from '../builders/second-factors.js';
import { AuthenticatorApp } from '../builders/second-factors.js';
import { GOOD_PASSWORD, type Person, registerPerson } from '../builders/people.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

let service: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  stopClock();
  const settings = { WEBHOOK_SECRET_KEY: 'a key of the tests that seals, of enough length' };
  service = await startTestApp({ settings });
  other = await startTestApp({ settings, database: service.database });
});

beforeEach(async () => {
  person = await registerPerson(service);
});

afterAll(async () => {
  await other.close();
  await service.close();
  letClockRun();
});

const login = (password = GOOD_PASSWORD) =>
  service.api.post('/auth/login', { email: person.email, password });

describe('An authenticator app', () => {
  it('counts once it is confirmed: then a login asks for its code, and gives tokens for it', async () => {
    const added = await person.api.post('/auth/factors/totp', { name: ' My phone ' });
    expect(added.body).toMatchObject({ name: 'My phone', secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
    const { id, secret, otpauth_uri: uri } = added.body;
    expect(uri).toContain(`secret=${secret}`);
    expect(uri).toContain(encodeURIComponent(person.email));
    // Not confirmed: the password is enough, and nobody sees it.
    expect((await login()).status).toBe(200);
    expect((await person.api.get('/auth/factors')).body).toMatchObject({
      factors: [],
      recovery_codes_left: 0,
    });

    const app = new AuthenticatorApp(secret);
    const confirm = (code: string) => person.api.post(`/auth/factors/${id}/confirm`, { code });
    expect(codeOf(await confirm(app.shown(3)))).toBe('400 wrong_second_factor');
    const confirmed = await confirm(` ${app.shown().slice(0, 3)} ${app.shown().slice(3)}`);
    expect(confirmed.status).toBe(200);
    expect(new Set(confirmed.body.recovery_codes).size).toBe(10);
    expect(codeOf(await confirm(app.next()))).toBe('404 not_found');
    expect((await person.api.get('/auth/factors')).body).toMatchObject({
      factors: [{ id, kind: 'totp', name: 'My phone', last_used_at: null }],
      recovery_codes_left: 10,
    });
    expect((await person.api.get('/auth/me')).body.has_second_factor).toBe(true);

    const asked = await askedAtLogin(service, person);
    expect(asked).toMatchObject({
      expires_in: 300,
      methods: ['totp', 'recovery_code'],
      passkey_options: null,
    });
    expect(codeOf(await answerLogin(service, asked.token, { code: app.shown(3) }))).toBe(
      '401 wrong_second_factor',
    );
    // Another instance finishes it.
    const tokens = await answerLogin(other, asked.token, { code: app.next() });
    expect((await service.api.as(tokens.body.access_token).get('/auth/me')).body.id).toBe(person.id);
    const [{ last_used_at: lastUsed }] = (await person.api.get('/auth/factors')).body.factors;
    expect(lastUsed).toEqual(expect.any(String));
  });

  it('gives codes that are good once, on whichever instance, and none that is older than a used one', async () => {
    const { app } = await enrolTotp(person.api);
    const code = app.next();
    const questions = [await askedAtLogin(service, person), await askedAtLogin(service, person)];
    expect((await answerLogin(service, questions[0]!.token, { code })).status).toBe(200);
    for (const used of [code, app.shown(-1)])
      expect(codeOf(await answerLogin(other, questions[1]!.token, { code: used }))).toBe(
        '401 wrong_second_factor',
      );
    // Clocks differ: the code of the next step is good already.
    expect((await answerLogin(other, questions[1]!.token, { code: app.shown(1) })).status).toBe(200);
    expect(codeOf(await answerLogin(service, questions[1]!.token, { code: app.next() }))).toBe(
      '401 second_factor_expired',
    );
  });

  it('lets one of 200 logins in that come at once with the same code, on two instances', async () => {
    const { app } = await enrolTotp(person.api);
    const tokens: string[] = [];
    while (tokens.length < 200) {
      const asked = await Promise.all(Array.from({ length: 10 }, () => askedAtLogin(service, person)));
      tokens.push(...asked.map(({ token }) => token));
    }
    const code = app.next();
    const replies = await Promise.all(
      tokens.map((token, index) => answerLogin(index % 2 ? service : other, token, { code })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    // Some find every slot or connection of a busy instance taken.
    const refused = replies.filter(({ status }) => status !== 200);
    for (const { status, body } of refused) if (status !== 503) expect(body.code).toBe('wrong_second_factor');
    expect((await person.api.get('/auth/sessions')).body).toHaveLength(2);
  });

  it('is stored sealed, and its recovery codes as hashes', async () => {
    const { id, app, recoveryCodes } = await enrolTotp(person.api);
    const [factor] = await service.database.query<{ secret: string }>(
      'SELECT secret FROM second_factors WHERE id = $1',
      [id],
    );
    expect(factor!.secret).toMatch(/^sealed:/);
    const dump = await service.database.query<{ row: string }>(
      `SELECT to_json(second_factors)::text AS row FROM second_factors
       UNION ALL SELECT to_json(recovery_codes)::text FROM recovery_codes
       UNION ALL SELECT to_json(factor_challenges)::text FROM factor_challenges`,
    );
    const text = dump.map(({ row }) => row).join('\n');
    // The hashes are columns of bytes, which are shown in hexadecimal.
    const shown = (secret: string) => [secret, Buffer.from(secret.replaceAll('-', '')).toString('hex')];
    for (const secret of [app.secret, ...recoveryCodes!].flatMap(shown)) expect(text).not.toContain(secret);
    for (const code of recoveryCodes!) expect(code).toMatch(/^(?:[0-9a-hjkmnp-tv-z]{6}(?:-|$)){4}$/);
  });

  it('is removed only by its owner, and the password is enough again', async () => {
    const { id } = await enrolTotp(person.api);
    const stranger = await registerPerson(service);
    expect(codeOf(await stranger.api.delete(`/auth/factors/${id}`))).toBe('404 not_found');
    const second = await enrolTotp(person.api, 'My tablet');
    expect(second.recoveryCodes).toBeNull();
    expect((await person.api.delete(`/auth/factors/${id}`)).status).toBe(204);
    expect((await person.api.get('/auth/factors')).body).toMatchObject({
      factors: [{ name: 'My tablet' }],
      recovery_codes_left: 10,
    });
    expect((await person.api.delete(`/auth/factors/${second.id}`)).status).toBe(204);
    expect((await person.api.get('/auth/factors')).body).toMatchObject({
      factors: [],
      recovery_codes_left: 0,
    });
    expect((await login()).status).toBe(200);
    expect(codeOf(await person.api.post('/auth/recovery-codes'))).toBe('409 second_factor_missing');
  });

  it('can be added ten times at most, and an earlier unconfirmed one is replaced', async () => {
    const first = (await person.api.post('/auth/factors/totp', { name: 'a' })).body;
    for (let count = 0; count < 10; count++) await enrolTotp(person.api);
    expect(codeOf(await person.api.post('/auth/factors/totp', { name: 'b' }))).toBe('409 limit_reached');
    const code = new AuthenticatorApp(first.secret).shown();
    expect((await person.api.post(`/auth/factors/${first.id}/confirm`, { code })).status).toBe(409);
    const rows = await service.database.query('SELECT id FROM second_factors WHERE user_id = $1', [
      person.id,
    ]);
    expect(rows).toHaveLength(10);
  });
});

describe('A login that waits for a second factor', () => {
  it('is not announced after a wrong password', async () => {
    const wrong = async () => {
      const { status, body } = await login('Wrong-horse-7');
      return { status, ...body, request_id: '' };
    };
    const before = await wrong();
    await enrolTotp(person.api);
    expect(await wrong()).toEqual(before);
    expect(before).not.toHaveProperty('second_factor');
  });

  it('ends after five minutes, with a new password, and with the account', async () => {
    const { app } = await enrolTotp(person.api);
    const finish = async (token: string) => codeOf(await answerLogin(service, token, { code: app.next() }));

    const late = await askedAtLogin(service, person);
    await service.database.query('UPDATE factor_challenges SET expires_at = now() WHERE user_id = $1', [
      person.id,
    ]);
    expect(await finish(late.token)).toBe('401 second_factor_expired');

    const before = await askedAtLogin(service, person);
    const change = { current_password: GOOD_PASSWORD, new_password: 'Another-Horse-8' };
    expect((await person.api.post('/auth/password', change)).status).toBe(200);
    expect(await finish(before.token)).toBe('401 second_factor_expired');
    expect(await finish('made up')).toBe('401 second_factor_expired');
  });

  it('takes exactly one answer', async () => {
    const { token } = await askedAtLogin(service, await withFactor());
    for (const answer of [{}, { code: '123456', recovery_code: 'x' }])
      expect(codeOf(await answerLogin(service, token, answer))).toBe('422 validation_failed');
  });

  it('is in the audit log with its factor, and so is a wrong answer', async () => {
    const { app } = await enrolTotp(person.api);
    const { token } = await askedAtLogin(service, person);
    await answerLogin(service, token, { code: app.shown(5) });
    const { access_token: accessToken } = (await answerLogin(service, token, { code: app.next() })).body;
    const entries = async () =>
      (await service.api.as(accessToken).get('/audit?action=user.login')).body as any[];
    while ((await entries()).length < 2);
    expect((await entries()).map(({ outcome, details }) => [outcome, details.second_factor]).sort()).toEqual([
      ['refused', 'totp'],
      ['success', 'totp'],
    ]);
  });
});

describe('A recovery code', () => {
  it('replaces the factor once, in any case, and new codes end the old ones', async () => {
    const { recoveryCodes } = await enrolTotp(person.api);
    const [first, second] = recoveryCodes as string[];
    const use = async (code: string) => {
      const { token } = await askedAtLogin(service, person);
      return codeOf(await answerLogin(service, token, { recovery_code: code }));
    };
    expect(await use(first!.toUpperCase().replaceAll('-', ' '))).toBe('200');
    expect(await use(first!)).toBe('401 wrong_second_factor');
    expect((await person.api.get('/auth/factors')).body.recovery_codes_left).toBe(9);
    const renewed = await person.api.post('/auth/recovery-codes');
    expect(renewed.body.recovery_codes).toHaveLength(10);
    expect(await use(second!)).toBe('401 wrong_second_factor');
    expect(await use(renewed.body.recovery_codes[3])).toBe('200');
    await forgetProofs(service, person);
    expect(codeOf(await person.api.post('/auth/recovery-codes'))).toBe('403 step_up_required');
  });

  it('lets one of several logins in that use it at once', async () => {
    const { recoveryCodes } = await enrolTotp(person.api);
    const questions = await Promise.all(Array.from({ length: 8 }, () => askedAtLogin(service, person)));
    const replies = await Promise.all(
      questions.map(({ token }) => answerLogin(service, token, { recovery_code: recoveryCodes![0] })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

async function withFactor(): Promise<Person> {
  await enrolTotp(person.api);
  return person;
}
