import { SecretCipher } from '../src/secrets/secret-cipher.js';
import { createAgent } from './builders/agents.js';
import { type Person, registerPerson } from './builders/people.js';
import { expectError } from './harness/error-shape.js';
import { resealSecrets } from './harness/reseal-secrets.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { createTestDatabase, type TestDatabase } from './harness/test-database.js';
import { until } from './harness/until.js';

const KEY = 'a key for tests, of more than thirty-two bytes';
const NEXT_KEY = 'the next key for tests, of more than thirty-two bytes';
/** A reader of a copy of the database would try this one first. */
const GUESSED = '1';

let database: TestDatabase;
let app: TestApp;
let person: Person;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await app.close();
  await database.drop();
});

async function start(settings: Record<string, string>): Promise<void> {
  app = await startTestApp({ database, settings });
}

async function restart(settings: Record<string, string>): Promise<void> {
  await app.close();
  await start(settings);
}

const makeKey = () =>
  app.api
    .as(person.accessToken)
    .post('/api-keys', { name: 'ci' }, { headers: { 'Idempotency-Key': GUESSED } });

async function openedByGuess(): Promise<string> {
  const [row] = await database.query<{ sealed: Buffer }>(
    'SELECT sealed_reply AS sealed FROM idempotency_records',
  );
  return new SecretCipher(GUESSED, 'idempotency reply', `user:${person.id}`).decrypt(row!.sealed);
}

describe('A reply that is kept for an Idempotency-Key', () => {
  it("is sealed under the service's key, so that a copy of the database opens none by guessing", async () => {
    await start({ WEBHOOK_SECRET_KEY: KEY });
    person = await registerPerson(app);
    const first = await makeKey();
    expect(first.status).toBe(201);
    await expect(openedByGuess()).rejects.toThrow();
    const again = await makeKey();
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
  });

  it('is opened while the service has its key, and is a 409 afterwards without a second effect', async () => {
    await start({ WEBHOOK_SECRET_KEY: KEY });
    person = await registerPerson(app);
    const first = await makeKey();
    const both = { WEBHOOK_SECRET_KEY: NEXT_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: KEY };
    await restart(both);
    expect((await makeKey()).body).toEqual(first.body);
    expect(await resealSecrets(database, both)).toMatchObject({ code: 0 });
    expect((await makeKey()).body).toEqual(first.body);
    await restart({ WEBHOOK_SECRET_KEY: NEXT_KEY });
    const refused = await makeKey();
    expectError(refused, 409, /was carried out, but its reply can't be decrypted/);
    expect(refused.body.code).toBe('idempotency_reply_unreadable');
    expect((await app.api.as(person.accessToken).get('/api-keys')).body).toHaveLength(1);
  });

  it('is opened by instances that do not know the next key yet', async () => {
    await start({ WEBHOOK_SECRET_KEY: KEY });
    person = await registerPerson(app);
    // the key of the first secret is the one in use
    await createAgent(app, person);
    const both = { WEBHOOK_SECRET_KEY: NEXT_KEY, WEBHOOK_SECRET_KEY_PREVIOUS: KEY };
    const next = await startTestApp({ database, settings: both });
    try {
      const first = await next.api
        .as(person.accessToken)
        .post('/api-keys', { name: 'ci' }, { headers: { 'Idempotency-Key': GUESSED } });
      expect((await makeKey()).body).toEqual(first.body);
    } finally {
      await next.close();
    }
  });
});

describe('A service without WEBHOOK_SECRET_KEY', () => {
  it('names at the start what is stored in clear, and keeps replies under the keys of their callers', async () => {
    await start({});
    await until(() => app.log().includes('WEBHOOK_SECRET_KEY is not set'));
    expect(app.log()).toMatch(
      /WEBHOOK_SECRET_KEY is not set: configs of agents and signing secrets are stored unencrypted/,
    );
    person = await registerPerson(app);
    const first = await makeKey();
    expect(JSON.parse(await openedByGuess())).toEqual(first.body);
    expect((await makeKey()).body).toEqual(first.body);
  });

  it('says nothing of it where it has the key', async () => {
    await start({ WEBHOOK_SECRET_KEY: KEY });
    person = await registerPerson(app);
    await makeKey();
    expect(app.log()).not.toContain('stored unencrypted');
  });
});
