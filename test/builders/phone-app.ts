import { Secret, TOTP } from 'otpauth';
import type { ApiClient } from '../harness/api-client.js';
import type { TestDatabase } from '../harness/test-database.js';
import { GOOD_PASSWORD } from './people.js';

/** An authenticator app by the running clock, for tests of processes and browsers. */
export class PhoneApp {
  private constructor(
    private readonly totp: TOTP,
    private readonly database: Pick<TestDatabase, 'query'>,
  ) {}

  /** @param secret base32, also in groups and lines */
  static with(secret: string, database: Pick<TestDatabase, 'query'>): PhoneApp {
    return new PhoneApp(new TOTP({ secret: Secret.fromBase32(secret.replaceAll(/\s/g, '')) }), database);
  }

  /** The present code. The service takes that of each half minute once, and a test does not wait for the next one. */
  async code(): Promise<string> {
    await this.database.query('UPDATE second_factors SET last_step = 0');
    return this.totp.generate();
  }

  /** A code that is wrong now, before and after. */
  wrongCode(): string {
    const now = Date.now();
    const good = [-1, 0, 1].map((steps) => this.totp.generate({ timestamp: now + steps * 30_000 }));
    return ['000000', '111111', '222222', '333333'].find((code) => !good.includes(code))!;
  }
}

export interface EnrolledApp {
  readonly app: PhoneApp;
  readonly recoveryCodes: readonly string[];
}

/** Adds an authenticator app to the account of a client that has just logged in. */
export async function enrolApp(api: ApiClient, database: TestDatabase): Promise<EnrolledApp> {
  const begun = await api.post('/auth/factors/totp', { name: 'phone' });
  if (begun.status !== 201)
    throw new Error(`Enrolment answered ${begun.status}: ${JSON.stringify(begun.body)}`);
  const app = PhoneApp.with(begun.body.secret, database);
  const { status, body } = await api.post(`/auth/factors/${begun.body.id}/confirm`, {
    code: await app.code(),
  });
  if (status !== 200) throw new Error(`Confirming answered ${status}: ${JSON.stringify(body)}`);
  return { app, recoveryCodes: body.recovery_codes };
}

/** Makes the last proof of every session older than ten minutes. */
export async function ageProofs(database: TestDatabase): Promise<void> {
  await database.query(`UPDATE sessions SET proven_at = now() - interval '11 minutes'`);
}

/** Enrols an account that was registered with {@link GOOD_PASSWORD}. */
export async function enrolAccount(
  api: ApiClient,
  database: TestDatabase,
  email: string,
): Promise<EnrolledApp> {
  const { body } = await api.post('/auth/login', { email, password: GOOD_PASSWORD });
  return enrolApp(api.as(body.access_token), database);
}
