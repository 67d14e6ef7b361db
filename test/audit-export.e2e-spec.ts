import { setTimeout as delay } from 'node:timers/promises';
import { type Person, registerOperator, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

/** More than the buffers of a connection hold. */
const ENTRIES = 60_000;
/** The time between two checks, and some more. */
const CHECK_MS = 1_200;

let app: TestApp;
let operator: Person;

beforeAll(async () => {
  app = await startTestApp();
  operator = await registerOperator(app);
  await app.database.query(
    `INSERT INTO audit_log (id, at, actor, action, target_type, outcome, details)
     SELECT make_uuidv7(), now(), 'service', 'user.invite', 'user', 'success', '{}' FROM generate_series(1, $1)`,
    [ENTRIES],
  );
});

afterAll(() => app.close());

/** An export of which the first part has arrived. */
async function begin(credential: string) {
  const headers = { authorization: `Bearer ${credential}`, accept: 'application/x-ndjson' };
  const response = await fetch(`${app.url}/audit?action=user.invite`, { headers });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  await reader.read();
  return reader;
}

/** Reads on. @returns true if the export was cut off */
async function isCut(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
  try {
    while (!(await reader.read()).done);
    return false;
  } catch {
    return true;
  }
}

describe('An export of the audit log', () => {
  it('is cut off when its key was revoked meanwhile', async () => {
    const { id, key } = (await operator.api.post('/api-keys', { name: 'k', everybody: true })).body;
    const reader = await begin(key);
    await operator.api.delete(`/api-keys/${id}`);
    await until(async () => (await app.api.as(key).get('/audit')).status === 401);
    await delay(CHECK_MS);
    expect(await isCut(reader)).toBe(true);
  });

  it('is cut off when its person is no longer an operator', async () => {
    const second = await registerPerson(app);
    await operator.api.patch(`/users/${second.id}`, { is_admin: true });
    const reader = await begin(second.accessToken);
    await operator.api.patch(`/users/${second.id}`, { is_admin: false });
    await delay(CHECK_MS);
    expect(await isCut(reader)).toBe(true);
  });

  it('continues to its end for a reader who keeps the right', async () => {
    const reader = await begin(operator.accessToken);
    await delay(CHECK_MS);
    expect(await isCut(reader)).toBe(false);
  });
});
