import { randomBytes } from 'node:crypto';
import type { UserPrincipal } from '../../src/access/principal.js';
import type { ApiClient } from '../harness/api-client.js';
import { SETUP_TOKEN } from '../harness/setup-token.js';
import type { TestApp } from '../harness/test-app.js';
import { until } from '../harness/until.js';

export const GOOD_PASSWORD = 'Correct-horse-7';

export interface Person {
  readonly email: string;
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  /** A client that calls as this person. */
  readonly api: ApiClient;
}

const someone = () => `person-${randomBytes(6).toString('hex')}@example.com`;

export function registerPerson(app: Pick<TestApp, 'api'>, email = someone()): Promise<Person> {
  return register(app, { email });
}

/** Registers the first operator of a service; once for each database. */
export function registerOperator(app: Pick<TestApp, 'api'>, email = someone()): Promise<Person> {
  return register(app, { email, setup_token: SETUP_TOKEN });
}

/** Removes all users with all their resources. The service may use the same rows: a deadlock is retried. */
export async function removeEverybody({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await until(() =>
    database.query('TRUNCATE users, projects CASCADE').then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== '40P01') throw error;
        return false;
      },
    ),
  );
}

async function register(
  app: Pick<TestApp, 'api'>,
  body: { readonly email: string; readonly setup_token?: string },
): Promise<Person> {
  const reply = await app.api.post('/auth/register', { ...body, password: GOOD_PASSWORD });
  if (reply.status !== 201)
    throw new Error(`Registration answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  const { access_token: accessToken, refresh_token: refreshToken } = reply.body;
  return {
    email: body.email,
    id: subjectOf(accessToken),
    accessToken,
    refreshToken,
    api: app.api.as(accessToken),
  };
}

function subjectOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1]!, 'base64url').toString();
  return (JSON.parse(claims) as { sub: string }).sub;
}

/** The person as the principal of a request. */
export function principalOf({ id }: Person): UserPrincipal {
  const origin = { address: '127.0.0.1', userAgent: null, requestId: 'none' };
  return {
    kind: 'user',
    userId: id,
    isAdmin: false,
    credential: 'token',
    memberships: [{ projectId: id, role: 'owner' }],
    asks: 'read',
    keyId: null,
    scopes: ['*'],
    sessionId: null,
    origin,
  };
}
