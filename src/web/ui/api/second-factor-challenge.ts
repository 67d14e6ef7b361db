import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import type { SecondFactorQuestion } from '@agent-control-plane/client';

export type ProofMethod = SecondFactorQuestion['methods'][number];

/** What has to be proved, and how. */
export type SecondFactorChallenge = Omit<SecondFactorQuestion, 'passkey_options'> & {
  /** Of the form that browsers take; the document leaves it open. */
  readonly passkey_options: PublicKeyCredentialRequestOptionsJSON | null;
};
