/** A person as the identity provider describes them, after its signature was checked. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The email in its canonical form; null if the provider gives no well-formed one. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** The strength of the sign-in, such as `acr:gold` and `amr:otp`. */
  readonly proof: readonly string[];
  /** The person's groups; null: `OIDC_GROUPS_CLAIM` is not set. */
  readonly groups: readonly string[] | null;
  /** Asks the provider for the groups again, without the person; null: the provider gives none, or groups are not read. */
  readonly refreshToken: string | null;
}

/** The token with which the provider returns a person's groups again. */
export type ProviderGrant = Readonly<
  Pick<ProvidedIdentity, 'issuer' | 'subject'> & { readonly refreshToken: string }
>;

/** The groups of a person, as the provider says now. */
export interface ConfirmedGroups {
  readonly groups: readonly string[];
  /** For the next time: some providers accept each refresh token once. */
  readonly refreshToken: string;
}

/**
 * Properties that identify a sign-in. Only the browser or program that began it has the verifier of its challenge.
 */
export interface SignInSecrets {
  /** The browser returns it. */
  readonly state: string;
  /** The ID token contains it. */
  readonly nonce: string;
  /** The hash of the client's verifier, which the provider gets at the beginning, and the verifier itself at the end (PKCE). */
  readonly challenge: string;
}
