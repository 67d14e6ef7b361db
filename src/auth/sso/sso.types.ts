/** A person as the identity provider describes them, after its signature was checked. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** The email in its canonical form; null if the provider gives no well-formed one. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** The secrets of one sign-in, which only the browser or program that began it has. */
export interface SignInSecrets {
  /** The browser returns it. */
  readonly state: string;
  /** The ID token contains it. */
  readonly nonce: string;
  /** The provider gets its hash at the beginning, and the verifier itself at the end (PKCE). */
  readonly verifier: string;
}
