import { jest } from '@jest/globals';
import { PeriodicJobs } from '../src/database/periodic-jobs.js';
import { ApiKeysRepository } from '../src/api-keys/api-keys.repository.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { createAgent } from './builders/agents.js';
import { type Person, principalOf, registerPerson } from './builders/people.js';
import { startTestApp, type TestApp } from './harness/test-app.js';
import { until } from './harness/until.js';

let app: TestApp;
let person: Person;

beforeAll(async () => {
  app = await startTestApp({ settings: { KEY_RETENTION_DAYS: '90' } });
  person = await registerPerson(app);
});

afterAll(() => app.close());

async function createKey(name: string): Promise<{ id: string; key: string }> {
  return (await person.api.post('/api-keys', { name })).body;
}

/** @param ends SQL of `expires_at` and `revoked_at` */
async function ended(name: string, ends: string): Promise<void> {
  const { id } = await createKey(name);
  await app.database.query(`UPDATE api_keys SET (expires_at, revoked_at) = ROW (${ends}) WHERE id = $1`, [
    id,
  ]);
}

const daysAgo = (days: number) => `now() - interval '${days} days' + interval '1 minute'`;

describe('The retention of API keys', () => {
  it('deletes keys that expired or were revoked before the retention, whichever came first', async () => {
    await createKey('in force');
    await ended('revoked lately', `NULL, ${daysAgo(90)}`);
    await ended('revoked', `NULL, ${daysAgo(91)}`);
    await ended('expired lately', `${daysAgo(90)}, NULL`);
    await ended('expired', `${daysAgo(91)}, NULL`);
    await ended('expired, and revoked lately', `${daysAgo(91)}, ${daysAgo(1)}`);
    await ended('revoked, and to expire', `now() + interval '1 day', ${daysAgo(91)}`);
    await until(() => app.app.get(PeriodicJobs).runOnce('apiKeyRetention'));
    const names = (await person.api.get('/api-keys')).body.map(({ name }: { name: string }) => name);
    expect(names).toEqual(['expired lately', 'revoked lately', 'in force']);
  });
});

describe('A cached API key', () => {
  it('identifies its holder without a query until the key is revoked', async () => {
    const keys = app.app.get(ApiKeysService);
    const { id, key } = await createKey('known');
    const asked = jest.spyOn(app.app.get(ApiKeysRepository), 'findStored');
    expect(keys.knownHolder(key)).toBeNull();
    expect(asked).not.toHaveBeenCalled();
    // A busy machine may not trust its cache for a moment, and then caches nothing.
    const holder = await until(async () => {
      await keys.authenticate(key, () => principalOf(person).origin);
      asked.mockClear();
      return keys.knownHolder(key);
    });
    expect(holder).toMatchObject({ kind: 'user', userId: person.id, keyId: id, scopes: ['*'] });
    const typo = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(keys.knownHolder(typo)).toBeNull();
    expect(asked).not.toHaveBeenCalled();
    await person.api.delete(`/api-keys/${id}`);
    expect(keys.knownHolder(key)).toBeNull();
    asked.mockRestore();
  });

  it("identifies an agent when the key is an agent's", async () => {
    const keys = app.app.get(ApiKeysService);
    const agent = await createAgent(app, person);
    const holder = await until(async () => {
      await keys.authenticate(agent.key, () => principalOf(person).origin);
      return keys.knownHolder(agent.key);
    });
    expect(holder).toEqual({ kind: 'agent', agentId: agent.id, projectId: person.id });
  });
});
