/** A person at the identity provider. */
export interface ProvidedPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: unknown;
}

/** A real provider of OpenID Connect, whose pages log the present person in without a question. */
export interface TestIdentityProvider {
  readonly issuer: string;
  /** The person at the browser. */
  person: ProvidedPerson;
  /** Set: the provider refuses to log anybody in, with this error. */
  refusal: string | undefined;
  /** False: a sign-in gets no refresh token. */
  givesRefreshTokens: boolean;
  /** True: every connection is closed without an answer. */
  isAway: boolean;
  /** Number of refresh tokens that were accepted. */
  readonly refreshes: number;
  /**
   * An access token of the present person, as the provider makes it for a resource.
   *
   * @param claims that differ; undefined: without the claim
   * @param by another key than the provider's
   */
  accessToken(resource: string, claims?: Readonly<Record<string, unknown>>, by?: object): string;
  /** A new key, with the name of the provider's. */
  strangersKey(): object;
  /** Changes the claims of the present person, also for sessions that are open. */
  change(claims: Partial<ProvidedPerson>): void;
  /** Ends all grants of the present person: the provider knows them no more. */
  forget(): void;
  /** Settings of the service that name this provider. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * @param webUrl of the dashboard
 * @param options `conformIdTokenClaims: false` puts all claims into ID tokens; else only the userinfo has them
 */
export function startIdentityProvider(
  webUrl: string,
  options?: { readonly conformIdTokenClaims?: boolean },
): Promise<TestIdentityProvider>;

/**
 * Walks through the provider's pages as a browser does.
 *
 * @returns the address outside of the provider to which it is sent in the end
 */
export function visitProvider(url: string): Promise<URL>;
