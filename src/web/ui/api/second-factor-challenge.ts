import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { SecondFactorQuestion } from '@agent-control-plane/client';

export type ProofMethod = SecondFactorQuestion['methods'][number];

/** The fact to be proved, and the ways. */
export type SecondFactorChallenge = Omit<SecondFactorQuestion, 'passkey_options'> & {
  /** In the form that browsers take; the document leaves it open. */
  readonly passkey_options: PublicKeyCredentialRequestOptionsJSON | null;
};
