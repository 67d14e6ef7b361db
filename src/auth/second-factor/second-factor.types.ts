import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { PROOF_METHOD_WORDS } from '../../http/second-factor-question.js';
import type { SecondFactorEntity } from './second-factor.entity.js';

/** The purpose of a challenge. */
export const CHALLENGE_PURPOSES = ['login', 'step_up', 'enrolment'] as const;

/** The ways to answer; `password` is the one of accounts without a factor, and only for a step-up. */
export type ProofMethod = (typeof PROOF_METHOD_WORDS)[number];

/** A factor as the API shows it. */
export type SecondFactor = Readonly<
  Pick<SecondFactorEntity, 'id' | 'userId' | 'kind' | 'name' | 'createdAt' | 'lastUsedAt'>
>;

/** The secret that checks the one-time codes of a factor. */
export type StoredTotp = Readonly<Pick<SecondFactorEntity, 'id' | 'name'>> & { readonly secret: string };

/** The key that checks the signatures of a passkey. */
export interface StoredPasskey {
  readonly id: string;
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: string[] | null;
}

export type NewPasskey = Omit<StoredPasskey, 'id'>;

/** A person's proof besides the password. */
export type FactorAnswer =
  | { readonly method: 'totp'; readonly code: string }
  | { readonly method: 'recovery_code'; readonly code: string }
  | { readonly method: 'passkey'; readonly response: AuthenticationResponseJSON };

export type Proof = FactorAnswer | { readonly method: 'password'; readonly password: string };

/** A question for a second factor. */
export interface FactorQuestion {
  readonly token: string;
  readonly expiresInSeconds: number;
  readonly methods: readonly ProofMethod[];
  /** For `navigator.credentials.get`; null: the account has no passkey, or passkeys can't be used here. */
  readonly passkeyOptions: PublicKeyCredentialRequestOptionsJSON | null;
}

/** A factor that counts from now on. */
export interface ConfirmedFactor {
  readonly factor: SecondFactor;
  /** Shown this once; null: the account has its codes already. */
  readonly recoveryCodes: readonly string[] | null;
}
