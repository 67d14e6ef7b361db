import { hash } from 'node:crypto';
import {
  startIdentityProvider,
  type TestIdentityProvider,
  visitProvider,
} from '../harness/identity-provider.mjs';
import type { ApiReply } from '../harness/api-client.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { type Person, registerOperator } from './people.js';

const VERIFIER = 'a-verifier-of-the-tests-that-only-they-have';
/** The body that begins a sign-in, and what finishes it, with the flow and the query. */
export const BEGINNING = { code_challenge: hash('sha256', VERIFIER, 'base64url') };
export const ENDING = { code_verifier: VERIFIER };

export const WEB_URL = 'https://company.example/agents';

export interface BegunSignIn {
  readonly authorization_url: string;
  readonly flow: string;
}

/** An identity provider, and two instances of the service that use it, with one database. */
export class SsoStage {
  private people = 0;

  private constructor(
    readonly provider: TestIdentityProvider,
    readonly service: TestApp,
    /** The instance that refuses unknown people. */
    readonly company: TestApp,
    readonly operator: Person,
  ) {}

  /** @param more settings of both instances */
  static async open(
    more: Readonly<Record<string, string>> = {},
    options?: Parameters<typeof startIdentityProvider>[1],
  ): Promise<SsoStage> {
    const provider = await startIdentityProvider(WEB_URL, options);
    const settings = {
      ...provider.settings,
      ...more,
      ADMIN_EMAILS: 'someone@example.com, chief@example.com, Boss@Example.com',
    };
    const service = await startTestApp({ settings });
    const strict = { ALLOW_REGISTRATION: 'false', OIDC_LINK_BY_EMAIL: 'true', PASSWORD_LOGIN: 'false' };
    const company = await startTestApp({
      database: service.database,
      settings: { ...settings, ...strict },
    });
    return new SsoStage(provider, service, company, await registerOperator(service));
  }

  /** Makes the provider's present person an unknown one. */
  newcomer(): void {
    const sub = `person-${++this.people}`;
    this.provider.refusal = undefined;
    this.provider.isAway = false;
    this.provider.givesRefreshTokens = true;
    this.provider.person = {
      sub,
      email: `${sub}@example.com`,
      email_verified: true,
      name: 'Ada Lovelace',
    };
  }

  async begin(app = this.service): Promise<BegunSignIn> {
    const reply = await app.api.post<BegunSignIn>('/auth/sso', BEGINNING);
    expect(reply.status).toBe(200);
    return reply.body;
  }

  /** @returns the query with which the provider redirects the browser */
  async atProvider(url: string): Promise<string> {
    return (await visitProvider(url)).search.slice(1);
  }

  finish(flow: string, query: string, app = this.service): Promise<ApiReply<any>> {
    return app.api.post('/auth/sso/tokens', { flow, query, ...ENDING });
  }

  /** A complete sign-in of the present person. */
  async signIn(app = this.service): Promise<ApiReply<any>> {
    const { authorization_url, flow } = await this.begin(app);
    return this.finish(flow, await this.atProvider(authorization_url), app);
  }

  /** The account of a reply with tokens. */
  async accountOf(tokens: ApiReply<any>): Promise<any> {
    return (await this.service.api.as(tokens.body.access_token).get('/auth/me')).body;
  }

  /** Actions and outcomes about an account in the audit log, oldest first. */
  async actsOn(userId: string): Promise<string[]> {
    const { body } = await this.operator.api.get(`/audit?target_id=${userId}`);
    const acts = body as readonly { readonly action: string; readonly outcome: string }[];
    return acts.map(({ action, outcome }) => `${action} ${outcome}`).reverse();
  }

  async close(): Promise<void> {
    await this.company.close();
    await this.service.close();
    await this.provider.close();
  }
}
