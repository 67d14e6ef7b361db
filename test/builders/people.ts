import { randomBytes } from 'node:crypto';
import type { UserPrincipal } from '../../src/access/principal.js';
import type { ApiClient } from '../harness/api-client.js';
import type { TestApp } from '../harness/test-app.js';

export const GOOD_PASSWORD = 'Correct-horse-7';

export interface Person {
  readonly email: string;
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A client that calls as this person. */
  readonly api: ApiClient;
}

export async function registerPerson(
  app: Pick<TestApp, 'api'>,
  email = `person-${randomBytes(6).toString('hex')}@example.com`,
): Promise<Person> {
  const reply = await app.api.post('/auth/register', { email, password: GOOD_PASSWORD });
  if (reply.status !== 201)
    throw new Error(`Registration answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  const api = app.api.as(reply.body.access_token);
  const me = await api.get('/auth/me');
  return {
    email,
    id: me.body.id,
    accessToken: reply.body.access_token,
    refreshToken: reply.body.refresh_token,
    api,
  };
}

/** The person as services know the caller of a request. */
export function principalOf({ id }: Person): UserPrincipal {
  const origin = { address: '127.0.0.1', requestId: 'none' };
  return {
    kind: 'user',
    userId: id,
    isAdmin: false,
    credential: 'token',
    keyId: null,
    scopes: ['*'],
    origin,
  };
}
