import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import * as oidc from 'openid-client';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { LOGGER, SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { DomainError, ForbiddenError, UnavailableError } from '../../errors/domain-error.js';
import { DemandedSignIn } from './demanded-sign-in.js';
import { type Claims, groupsIn, personIn, proofIn } from './provided-claims.js';
import { failureOf, fetchFromProvider, isGrantGone, providerCodeOf } from './provider-failures.js';
import type { ConfirmedGroups, ProvidedIdentity, ProviderGrant, SignInSecrets } from './sso.types.js';

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
/** Maximum number of refreshes that wait for one of these calls. */
const REFRESHES_IN_LINE = 200;
/** Time for which no refresh asks a provider that has not answered one: each would wait for its timeout. */
const PAUSE_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

/** Client of the identity provider of `OIDC_ISSUER`. Its calls hold no database connection. */
@Injectable()
export class IdentityProvider implements OnApplicationBootstrap {
  private readonly limit = pLimit(CALLS_AT_ONCE);
  /** A limit of its own, so that neither refreshes delay logins nor the other way round. */
  private readonly refreshes = pLimit(CALLS_AT_ONCE);
  private awayUntil = 0;
  private known: { readonly configuration: oidc.Configuration; readonly goodUntil: number } | undefined;
  /** The discovery under way, which all concurrent calls share. */
  private discovery: Promise<oidc.Configuration> | undefined;

  constructor(
    private readonly demand: DemandedSignIn,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Discovery runs in the background: the service starts without its provider. */
  onApplicationBootstrap(): void {
    if (this.settings.OIDC_ISSUER === '') return;
    this.configuration().catch((error: unknown) =>
      this.logger.warn(
        { err: error },
        'The identity provider does not respond; the next sign-in tries again',
      ),
    );
  }

  /**
   * The address of the provider's page, for the browser.
   *
   * @throws ForbiddenError if single sign-on is not set up
   * @throws UnavailableError if the provider does not answer
   */
  authorizationUrl({ state, nonce, challenge }: SignInSecrets): Promise<string> {
    return this.ask((configuration) => {
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: this.redirectUri,
        scope: this.scopeAt(configuration),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...this.demand.parameters(configuration.serverMetadata().claims_parameter_supported === true),
      });
      return Promise.resolve(url.href);
    });
  }

  /**
   * Exchanges the code that the browser brought back, and checks the provider's answer: signature, issuer, audience,
   * expiry and nonce.
   *
   * @param query of the address to which the browser was redirected
   * @param verifier of the client that began the sign-in
   * @throws ForbiddenError if single sign-on is not set up, or the provider has refused the sign-in
   * @throws RefusedError if the code has expired or was used before
   * @throws UnavailableError if the provider does not answer
   * @throws DomainError `bad_gateway` if its answer fails a check
   */
  identify(query: string, verifier: string, { state, nonce }: SignInSecrets): Promise<ProvidedIdentity> {
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
      const claims: Claims & oidc.IDToken = tokens.claims()!;
      const { iss, sub } = claims;
      const hasAll = claims.email !== undefined && (!this.readsGroups || this.groupsClaim in claims);
      const more = hasAll ? claims : await this.userInfo(configuration, tokens.access_token, sub, claims);
      return {
        issuer: iss,
        subject: sub,
        // Claims of the signed token alone, which belongs to this very sign-in.
        proof: proofIn(claims),
        ...personIn(claims.email === undefined ? more : claims),
        groups: this.readsGroups ? groupsIn(claims[this.groupsClaim] ?? more[this.groupsClaim]) : null,
        refreshToken: (this.readsGroups && tokens.refresh_token) || null,
      };
    });
  }

  /**
   * The address of the provider's public keys.
   *
   * @throws UnavailableError if the provider does not answer
   * @throws DomainError `bad_gateway` if it names none
   */
  async keysAddress(): Promise<string> {
    try {
      const { jwks_uri: address } = (await this.configuration()).serverMetadata();
      if (address !== undefined) return address;
    } catch (error) {
      throw failureOf(error);
    }
    const message = "The identity provider's metadata has no jwks_uri";
    throw new DomainError('bad_gateway', 'identity_provider_failed', message);
  }

  /** Returns true if groups of the provider give roles. */
  get readsGroups(): boolean {
    return this.groupsClaim !== '';
  }

  /**
   * Asks for the groups of a person again.
   *
   * @returns null if the provider has ended the grant: only a new sign-in can say more
   * @throws UnavailableError if the provider does not answer, or has not answered another refresh just now
   * @throws DomainError `bad_gateway` if its answer fails a check
   * @throws ForbiddenError if it says that the sign-in is too weak now
   */
  async groupsOf(grant: ProviderGrant): Promise<ConfirmedGroups | null> {
    if (performance.now() < this.awayUntil || this.refreshes.pendingCount >= REFRESHES_IN_LINE)
      throw new UnavailableError('The identity provider does not respond: try again later');
    return this.refreshes(async () => {
      try {
        return await this.confirm(await this.configuration(), grant);
      } catch (error) {
        if (isGrantGone(error)) return null;
        const failure = failureOf(error);
        if (failure instanceof UnavailableError) this.awayUntil = performance.now() + PAUSE_MS;
        throw failure;
      }
    });
  }

  private async confirm(
    configuration: oidc.Configuration,
    { issuer, subject, refreshToken }: ProviderGrant,
  ): Promise<ConfirmedGroups | null> {
    // Another provider is set up since.
    if (configuration.serverMetadata().issuer !== issuer) return null;
    const tokens = await oidc.refreshTokenGrant(configuration, refreshToken);
    const claims: Claims = tokens.claims() ?? {};
    if (claims.sub !== undefined && claims.sub !== subject) {
      const message = "The identity provider's reply is about another person";
      throw new DomainError('bad_gateway', 'identity_provider_failed', message);
    }
    this.demand.requireNotWithdrawn(claims);
    const said =
      this.groupsClaim in claims
        ? claims
        : await this.userInfo(configuration, tokens.access_token, subject, claims);
    return { groups: groupsIn(said[this.groupsClaim]), refreshToken: tokens.refresh_token ?? refreshToken };
  }

  /** Claims of the provider next to the ID token; the claims themselves if it has no such address. */
  private async userInfo(
    configuration: oidc.Configuration,
    accessToken: string,
    subject: string,
    claims: Claims,
  ): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return oidc.fetchUserInfo(configuration, accessToken, subject);
  }

  private get groupsClaim(): string {
    return this.settings.OIDC_GROUPS_CLAIM;
  }

  /** Many providers give groups, or a refresh token, only for a scope of that name; others refuse a scope that they don't know. */
  private scopeAt(configuration: oidc.Configuration): string {
    const known = configuration.serverMetadata().scopes_supported ?? [];
    const more = this.readsGroups
      ? ['groups', 'offline_access'].filter((scope) => known.includes(scope))
      : [];
    return [SCOPE, ...more].join(' ');
  }

  private get redirectUri(): string {
    return `${this.settings.WEB_PUBLIC_URL}${CALLBACK_PATH}`;
  }

  private async ask<T>(question: (configuration: oidc.Configuration) => Promise<T>): Promise<T> {
    if (this.settings.OIDC_ISSUER === '')
      throw new ForbiddenError('sso_off', 'Single sign-on is not configured');
    if (this.limit.activeCount >= CALLS_AT_ONCE) {
      throw new UnavailableError(
        'Too many people are signing in at the same time: try again in a second',
        RETRY_AFTER_SECONDS,
        'overloaded',
      );
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
