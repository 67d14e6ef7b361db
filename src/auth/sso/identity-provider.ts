import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { isEmail } from 'class-validator';
import * as oidc from 'openid-client';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { ForbiddenError, UnavailableError } from '../../errors/domain-error.js';
import { canonicalEmail } from '../../http/canonical-email.js';
import { cutText, storable } from '../../http/storable-text.js';
import { whatIsSeen } from '../../http/visible-text.js';
import { failureOf, fetchFromProvider, providerCodeOf } from './provider-failures.js';
import type { ProvidedIdentity, SignInSecrets } from './sso.types.js';

/** Path of the dashboard to which the provider redirects every browser. */
const CALLBACK_PATH = '/sign-in/sso';

const SCOPE = 'openid email profile';
const TIMEOUT_SECONDS = 5;
/** Time for which the provider's addresses are cached; while it is unreachable, expired ones are used. */
const DISCOVERY_TTL_MS = 60 * 60_000;
/**
 * Maximum number of concurrent calls. Each waits for the provider and holds memory and a socket, but no slot: other
 * logins continue while a provider hangs.
 */
const CALLS_AT_ONCE = 20;
const RETRY_AFTER_SECONDS = 5;
const MAXIMUM_EMAIL = 254;
const MAXIMUM_NAME = 200;

/** Client of the identity provider of `OIDC_ISSUER`. Its calls hold no database connection. */
@Injectable()
export class IdentityProvider implements OnApplicationBootstrap {
  private readonly limit = pLimit(CALLS_AT_ONCE);
  private known: { readonly configuration: oidc.Configuration; readonly goodUntil: number } | undefined;
  /** The discovery under way, which all concurrent calls share. */
  private discovery: Promise<oidc.Configuration> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Discovery runs in the background: the service starts without its provider. */
  onApplicationBootstrap(): void {
    if (this.settings.OIDC_ISSUER === '') return;
    this.configuration().catch((error: unknown) =>
      this.logger.warn({ err: error }, 'The identity provider does not answer; a sign-in asks it again'),
    );
  }

  /**
   * The address of the provider's page, for the browser.
   *
   * @throws ForbiddenError if single sign-on is not set up
   * @throws UnavailableError if the provider does not answer
   */
  authorizationUrl({ state, nonce, verifier }: SignInSecrets): Promise<string> {
    return this.ask(async (configuration) => {
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: this.redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    });
  }

  /**
   * Exchanges the code that the browser brought back, and checks the provider's answer: signature, issuer, audience,
   * expiry and nonce.
   *
   * @param query of the address to which the browser was redirected
   * @throws ForbiddenError if single sign-on is not set up, or the provider has refused the sign-in
   * @throws RefusedError if the code has expired or was used before
   * @throws UnavailableError if the provider does not answer
   * @throws DomainError `bad_gateway` if its answer fails a check
   */
  identify(query: string, { state, nonce, verifier }: SignInSecrets): Promise<ProvidedIdentity> {
    return this.ask(async (configuration) => {
      const tokens = await oidc.authorizationCodeGrant(
        configuration,
        new URL(`${this.redirectUri}?${query}`),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims()!;
      const { iss, sub } = claims;
      const profile =
        claims.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, sub)
          : claims;
      return { issuer: iss, subject: sub, ...personOf(profile) };
    });
  }

  private get redirectUri(): string {
    return `${this.settings.WEB_PUBLIC_URL}${CALLBACK_PATH}`;
  }

  private async ask<T>(question: (configuration: oidc.Configuration) => Promise<T>): Promise<T> {
    if (this.settings.OIDC_ISSUER === '') throw new ForbiddenError('sso_off', 'Single sign-on is not set up');
    if (this.limit.activeCount >= CALLS_AT_ONCE) {
      throw new UnavailableError('Too many people are signing in at once', RETRY_AFTER_SECONDS, 'overloaded');
    }
    return this.limit(async () => {
      try {
        return await question(await this.configuration());
      } catch (error) {
        this.logger.warn(
          { code: providerCodeOf(error) || undefined },
          'A sign-in failed at the identity provider',
        );
        throw failureOf(error);
      }
    });
  }

  /** The provider's configuration. While the provider is unreachable, the last one is used. */
  private async configuration(): Promise<oidc.Configuration> {
    if (this.known && performance.now() < this.known.goodUntil) return this.known.configuration;
    this.discovery ??= this.discover().finally(() => (this.discovery = undefined));
    try {
      const configuration = await this.discovery;
      this.known = { configuration, goodUntil: performance.now() + DISCOVERY_TTL_MS };
      return configuration;
    } catch (error) {
      if (this.known) return this.known.configuration;
      throw error;
    }
  }

  private discover(): Promise<oidc.Configuration> {
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = this.settings;
    const issuer = new URL(OIDC_ISSUER);
    const insecure = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
    return oidc.discovery(issuer, OIDC_CLIENT_ID, undefined, authenticationOf(OIDC_CLIENT_SECRET), {
      timeout: TIMEOUT_SECONDS,
      [oidc.customFetch]: fetchFromProvider,
      // The library checks signatures only on demand: by default it relies on TLS.
      execute: [oidc.enableNonRepudiationChecks, ...insecure],
    });
  }
}

/** HTTP Basic, as the specification prefers, unless the provider accepts the secret in the body only. */
function authenticationOf(secret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(secret);
  const inBody = oidc.ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    return (methods && !methods.includes('client_secret_basic') ? inBody : basic)(server, ...rest);
  };
}

/** A name as accounts have it: a sign-in must not fail for it. */
const nameOf = (given: string) => whatIsSeen(storable(cutText(given.trim(), MAXIMUM_NAME))).trim();

function personOf(claims: Readonly<Record<string, unknown>>): Omit<ProvidedIdentity, 'issuer' | 'subject'> {
  const { email: given, email_verified: verified, name } = claims;
  const email = typeof given === 'string' ? canonicalEmail(given) : '';
  const isWellFormed = isEmail(email) && email.length <= MAXIMUM_EMAIL;
  return {
    email: isWellFormed ? email : null,
    // Some providers send it as text.
    isEmailVerified: isWellFormed && (verified === true || verified === 'true'),
    name: (typeof name === 'string' && nameOf(name)) || null,
  };
}
