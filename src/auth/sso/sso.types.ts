/** A person as the identity provider describes them, after its signature has been checked. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** In its canonical form; null: the provider gives none that is well-formed. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string | null;
}

/** The secrets of one sign-in, which only the browser or program that began it holds. */
export interface SignInSecrets {
  /** Comes back with the browser. */
  readonly state: string;
  /** Comes back in the ID token. */
  readonly nonce: string;
  /** The provider gets its hash at the beginning, and the verifier itself at the end (PKCE). */
  readonly verifier: string;
}
