import { Secret, TOTP } from 'otpauth';
import type { ApiClient, ApiReply } from '../harness/api-client.js';
import { moveClock, STEP_MS } from '../harness/own-clock.js';
import type { TestApp } from '../harness/test-app.js';
import { GOOD_PASSWORD, type Person, registerPerson } from './people.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

/** The code of an authenticator app, while the clock is stopped. */
export class AuthenticatorApp {
  private readonly totp: TOTP;

  constructor(readonly secret: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(secret) });
  }

  /** @param timeMs milliseconds since 1970; also with a running clock, because a code is good for a minute and a half */
  at(timeMs: number): string {
    return this.totp.generate({ timestamp: timeMs });
  }

  /** The code of now, or of a step before or after it. */
  shown(stepsAway = 0): string {
    return this.at(moveClock(0) + stepsAway * STEP_MS);
  }

  /** The next code, which was not used yet. */
  next(): string {
    moveClock(1);
    return this.shown();
  }
}

export interface EnrolledTotp {
  readonly id: string;
  readonly app: AuthenticatorApp;
  /** Null: the account had its codes before. */
  readonly recoveryCodes: readonly string[] | null;
}

/** Adds an authenticator app to the account of a client. */
export async function enrolTotp(api: ApiClient, name = 'My phone'): Promise<EnrolledTotp> {
  const { id, secret } = expectStatus(201, await api.post('/auth/factors/totp', { name })).body;
  const app = new AuthenticatorApp(secret);
  const confirmed = expectStatus(
    200,
    await api.post(`/auth/factors/${id}/confirm`, { code: app.next() }),
  ).body;
  return { id, app, recoveryCodes: confirmed.recovery_codes };
}

/** The question that follows a right password. */
export async function askedAtLogin({ api }: Pick<TestApp, 'api'>, { email }: Pick<Person, 'email'>) {
  const reply = await api.post('/auth/login', { email, password: GOOD_PASSWORD });
  expect([reply.status, reply.body.code]).toEqual([401, 'second_factor_required']);
  return reply.body.second_factor as {
    readonly token: string;
    readonly methods: readonly string[];
    readonly passkey_options: any;
  };
}

export const answerLogin = ({ api }: Pick<TestApp, 'api'>, token: string, answer: object) =>
  api.post('/auth/login/second-factor', { token, ...answer });

/** Makes the proofs of the person's sessions eleven minutes old. */
export async function forgetProofs({ database }: Pick<TestApp, 'database'>, { id }: Person): Promise<void> {
  await database.query(
    `UPDATE sessions SET proven_at = proven_at - interval '11 minutes' WHERE user_id = $1`,
    [id],
  );
}

/** Calls every route about second factors once, with success, while the clock runs. */
export async function useSecondFactors(service: TestApp, operator: Person): Promise<void> {
  const person = await registerPerson(service);
  const { api } = person;
  const { id, secret } = (await api.post('/auth/factors/totp', { name: 'a phone' })).body;
  const code = new AuthenticatorApp(secret).at(Date.now());
  await api.post(`/auth/factors/${id}/confirm`, { code });
  const passkey = new SoftwareAuthenticator('http://localhost:3000');
  const { token, options } = (await api.post('/auth/factors/passkeys/options')).body;
  await api.post('/auth/factors/passkeys', { token, name: 'a key', response: passkey.create(options) });
  const question = (await api.post('/auth/step-up/options')).body;
  const proof = { token: question.token, passkey: passkey.get(question.passkey_options) };
  await api.post('/auth/step-up', proof);
  await api.post('/auth/step-up', proof);
  await api.post('/auth/recovery-codes');
  const asked = await askedAtLogin(service, person);
  await answerLogin(service, asked.token, { code });
  await answerLogin(service, asked.token, { passkey: passkey.get(asked.passkey_options) });
  await api.delete(`/auth/factors/${id}`);
  await operator.api.delete(`/users/${person.id}/factors`);
}

export function expectStatus<Body>(status: number, reply: ApiReply<Body>): ApiReply<Body> {
  if (reply.status !== status) expect([reply.status, reply.body]).toEqual([status, 'another reply']);
  return reply;
}

export const codeOf = ({ status, body }: ApiReply<any>) => `${status} ${body?.code ?? ''}`.trim();
