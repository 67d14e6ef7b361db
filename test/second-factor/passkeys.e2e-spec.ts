import { type Person, registerPerson } from '../builders/people.js';
import {
  answerLogin,
  askedAtLogin,
  codeOf,
  enrolTotp,
  expectStatus,
  forgetProofs,
} from '../builders/second-factors.js';
import { SoftwareAuthenticator } from '../builders/software-authenticator.js';
import { letClockRun, stopClock } from '../harness/own-clock.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';

const ORIGIN = 'https://control.example.com';

let service: TestApp;
let other: TestApp;
let person: Person;

beforeAll(async () => {
  stopClock();
  const settings = { WEB_PUBLIC_URL: ORIGIN };
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

const begin = ({ api }: Pick<Person, 'api'> = person) => api.post('/auth/factors/passkeys/options');

async function add(
  authenticator: SoftwareAuthenticator,
  { api }: Pick<Person, 'api'> = person,
  name = 'My key',
) {
  const { token, options } = expectStatus(200, await begin({ api })).body;
  return api.post('/auth/factors/passkeys', { token, name, response: authenticator.create(options) });
}

describe('A passkey', () => {
  it('is added, and then a login asks for it, with an answer that is good once, on any instance', async () => {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const { options } = (await begin()).body;
    expect(options).toMatchObject({
      rp: { id: 'control.example.com' },
      user: { name: person.email },
      attestation: 'none',
    });
    const added = expectStatus(201, await add(authenticator)).body;
    expect(added.factor).toMatchObject({ kind: 'passkey', name: 'My key' });
    expect(added.recovery_codes).toHaveLength(10);

    const asked = await askedAtLogin(service, person);
    expect(asked.methods).toEqual(['passkey', 'recovery_code']);
    expect(asked.passkey_options).toMatchObject({
      rpId: 'control.example.com',
      allowCredentials: [{ id: authenticator.id, transports: ['internal'] }],
    });
    const passkey = authenticator.get(asked.passkey_options);
    expect(codeOf(await answerLogin(other, asked.token, { passkey }))).toBe('200');
    expect(codeOf(await answerLogin(service, asked.token, { passkey }))).toBe('401 second_factor_expired');
    const again = await askedAtLogin(service, person);
    expect(codeOf(await answerLogin(service, again.token, { passkey }))).toBe('401 wrong_second_factor');
  });

  it('lets one of several logins in that give the same answer at once', async () => {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const asked = await askedAtLogin(service, person);
    const passkey = authenticator.get(asked.passkey_options);
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        answerLogin(index % 2 ? service : other, asked.token, { passkey }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('is refused from another origin, of another account, unknown, changed, or with a count that went back', async () => {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const stranger = await registerPerson(service);
    const strangers = new SoftwareAuthenticator(ORIGIN);
    await add(strangers, stranger);
    const asked = await askedAtLogin(service, person);
    const right = () => authenticator.get(asked.passkey_options);
    const elsewhere = new SoftwareAuthenticator(
      'https://control.example.com.evil.example',
      'control.example.com',
    );
    const changed = right();
    const wrong = {
      elsewhere: { ...elsewhere.get(asked.passkey_options), id: authenticator.id },
      'of another account': strangers.get(asked.passkey_options),
      'of another question': authenticator.get({ challenge: 'Zm9v' }),
      changed: { ...changed, response: { ...changed.response, signature: 'MAYCAQECAQE' } },
      garbage: { id: authenticator.id, response: { clientDataJSON: 7 } },
    };
    for (const [name, passkey] of Object.entries(wrong))
      expect([name, codeOf(await answerLogin(service, asked.token, { passkey }))]).toEqual([
        name,
        '401 wrong_second_factor',
      ]);
    // A copy of the key that was used less often.
    await service.database.query('UPDATE second_factors SET counter = 1000 WHERE user_id = $1', [person.id]);
    expect(codeOf(await answerLogin(service, asked.token, { passkey: right() }))).toBe(
      '401 wrong_second_factor',
    );
    await service.database.query('UPDATE second_factors SET counter = 1 WHERE user_id = $1', [person.id]);
    expect(codeOf(await answerLogin(service, asked.token, { passkey: right() }))).toBe('200');
  });

  it('is refused when it is added from another origin, twice, too late, or in another session', async () => {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    const evil = new SoftwareAuthenticator('https://evil.example', 'control.example.com');
    expect(codeOf(await add(evil))).toBe('400 passkey_refused');
    const { token, options } = (await begin()).body;
    const stranger = await registerPerson(service);
    const body = { token, name: 'a', response: authenticator.create(options) };
    expect(codeOf(await stranger.api.post('/auth/factors/passkeys', body))).toBe('400 second_factor_expired');
    expect(codeOf(await person.api.post('/auth/factors/passkeys', body))).toBe('201');
    expect(codeOf(await person.api.post('/auth/factors/passkeys', body))).toBe('400 second_factor_expired');
    expect(codeOf(await add(authenticator, stranger))).toBe('400 passkey_refused');
    const late = (await begin()).body;
    await service.database.query('UPDATE factor_challenges SET expires_at = now()');
    const answer = new SoftwareAuthenticator(ORIGIN).create(late.options);
    expect(
      codeOf(
        await person.api.post('/auth/factors/passkeys', { token: late.token, name: 'b', response: answer }),
      ),
    ).toBe('400 second_factor_expired');
  });

  it('is a step-up only for the session that was asked', async () => {
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    await enrolTotp(person.api);
    const asked = await askedAtLogin(service, person);
    expect(asked.methods).toEqual(['passkey', 'totp', 'recovery_code']);
    const login = await answerLogin(service, asked.token, {
      passkey: authenticator.get(asked.passkey_options),
    });
    const second = service.api.as(login.body.access_token);
    await forgetProofs(service, person);
    const question = (await second.post('/auth/step-up/options')).body;
    const proof = { token: question.token, passkey: authenticator.get(question.passkey_options) };
    expect(codeOf(await person.api.post('/auth/step-up', proof))).toBe('400 second_factor_expired');
    expect(codeOf(await second.post('/auth/step-up', proof))).toBe('200');
    expect((await second.post('/api-keys', { name: 'a' })).status).toBe(201);
    expect(codeOf(await person.api.post('/api-keys', { name: 'a' }))).toBe('403 step_up_required');
  });
});

it('Passkeys work on localhost where no address is set, and nowhere at an IP address', async () => {
  const local = await startTestApp({ database: service.database });
  const atAddress = await startTestApp({
    settings: { WEB_PUBLIC_URL: 'http://192.0.2.1:3000' },
    database: service.database,
  });
  try {
    const here = { api: local.api.as(person.accessToken) };
    expect((await add(new SoftwareAuthenticator('http://localhost:3000'), here)).status).toBe(201);
    const there = atAddress.api.as(person.accessToken);
    expect((await there.get('/auth/factors')).body.passkeys_available).toBe(false);
    expect(codeOf(await begin({ api: there }))).toBe('409 passkeys_unavailable');
    expect((await askedAtLogin(atAddress, person)).methods).toEqual(['recovery_code']);
  } finally {
    await atAddress.close();
    await local.close();
  }
});
