import { Stack, Text } from '@mantine/core';
import type { User } from '@agent-control-plane/client';
import { proveSignIn } from '../api/second-factor.js';
import type { SecondFactorChallenge } from '../api/second-factor-challenge.js';
import { showFailure } from './announce.js';
import { ProofForm } from './proof-form.js';

export interface SignInProofProps {
  readonly challenge: SecondFactorChallenge;
  readonly onSignedIn: (user: User) => void;
  /** Leads back to the password. */
  readonly onRestart: () => void;
}

/** The second step of a sign-in, after the password. */
export function SignInProof({ challenge, onSignedIn, onRestart }: SignInProofProps) {
  return (
    <Stack>
      <Text size="sm">Your password is correct. This account also needs a second factor.</Text>
      <ProofForm
        challenge={challenge}
        label="Sign in"
        cancelLabel="Back"
        failureTitle="You are not signed in"
        prove={async (proof) => onSignedIn(await proveSignIn(challenge.token, proof))}
        onExpired={(error) => {
          onRestart();
          showFailure('You are not signed in', error);
        }}
        onCancel={onRestart}
      />
    </Stack>
  );
}
