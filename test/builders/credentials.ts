import { jest } from '@jest/globals';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { Database } from '../../src/database/database.js';
import type { TestApp } from '../harness/test-app.js';
import { GOOD_PASSWORD, type Person } from './people.js';

const DAY_MS = 86_400_000;

/** A key of a person or, with `agentId`, of an agent of theirs. */
export async function issueKey(
  app: TestApp,
  person: Person,
  order: { agentId?: string; expiresAt?: Date; revoked?: boolean } = {},
): Promise<string> {
  const { agentId = null, expiresAt, revoked = false } = order;
  const { key, record } = await app.app.get(Database).people.transaction((tx) =>
    app.app.get(ApiKeysService).issue(tx, {
      projectId: person.id,
      createdBy: person.id,
      agentId,
      name: 'a key',
      ...(agentId === null && { scopes: ['*', 'approve'] }),
      expiresAt: expiresAt?.toISOString(),
    }),
  );
  if (revoked) await app.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [record.id]);
  return key;
}

/** An access token that the service issued a day ago. */
export async function expiredToken(app: TestApp, person: Person): Promise<string> {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - DAY_MS);
  try {
    return (await app.api.post('/auth/login', { email: person.email, password: GOOD_PASSWORD })).body
      .access_token;
  } finally {
    clock.mockRestore();
  }
}
