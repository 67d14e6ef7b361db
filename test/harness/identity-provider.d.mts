/** A person at the identity provider. */
export interface ProvidedPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/** A real provider of OpenID Connect, whose pages log the present person in without a question. */
export interface TestIdentityProvider {
  readonly issuer: string;
  /** The person at the browser. */
  person: ProvidedPerson;
  /** Set: the provider refuses to log anybody in, with this error. */
  refusal: string | undefined;
  /** Settings of the service that name this provider. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** @param webUrl of the dashboard */
export function startIdentityProvider(webUrl: string): Promise<TestIdentityProvider>;

/**
 * Walks through the provider's pages as a browser does.
 *
 * @returns the address outside of the provider to which it is sent in the end
 */
export function visitProvider(url: string): Promise<URL>;
