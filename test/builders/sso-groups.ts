import type { ApiClient } from '../harness/api-client.js';
import type { TestApp } from '../harness/test-app.js';
import { type Person, registerPerson } from './people.js';
import { createProject } from './projects.js';
import type { SsoStage } from './single-sign-on.js';

export const GROUP_SETTINGS = {
  OIDC_GROUPS_CLAIM: 'groups',
  WEBHOOK_SECRET_KEY: 'a key for tests, of more than thirty-two bytes',
};

/** For tests in which nobody signs in. */
export const GROUPS_WITHOUT_PROVIDER = {
  ...GROUP_SETTINGS,
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'control-plane',
  OIDC_CLIENT_SECRET: 'a secret that no provider knows',
  WEB_PUBLIC_URL: 'https://control.example.com',
};

export interface GroupRole {
  readonly group: string;
  readonly role: string;
}

/** A project in which groups have roles. */
export interface GroupProject {
  readonly owner: Person;
  readonly id: string;
  readonly path: string;
}

/** A person whom the provider has logged in. */
export interface SignedIn {
  readonly id: string;
  readonly api: ApiClient;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresIn: number;
}

/** A project of a new person, with the roles of these groups. */
export async function projectWithGroups(
  service: TestApp,
  ...groups: readonly GroupRole[]
): Promise<GroupProject> {
  const owner = await registerPerson(service);
  const id = await createProject(owner);
  const path = `/projects/${id}`;
  const reply = await owner.api.patch(path, { groups });
  if (reply.status !== 200) throw new Error(`PATCH ${path} answered ${reply.status}`);
  return { owner, id, path };
}

/** Logs the provider's present person in, as a member of these groups. */
export async function signInWith(stage: SsoStage, groups?: unknown): Promise<SignedIn> {
  stage.provider.change({ groups });
  const reply = await stage.signIn();
  expect(reply.status).toBe(200);
  return { id: (await stage.accountOf(reply)).id, ...signedIn(stage.service, reply.body) };
}

/** Refreshes the session, on any instance. */
export async function refresh(session: SignedIn, service: TestApp): Promise<SignedIn> {
  const { status, body } = await service.api.post('/auth/refresh', { refresh_token: session.refreshToken });
  expect(status).toBe(200);
  return { id: session.id, ...signedIn(service, body) };
}

function signedIn(service: TestApp, tokens: Record<string, any>): Omit<SignedIn, 'id'> {
  return {
    api: service.api.as(tokens.access_token),
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresIn: tokens.expires_in,
  };
}
