import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { ApiError } from '../api/request.js';
import { type Credentials, signIn } from '../api/session.js';
import { ErrorNotice } from './error-notice.js';

export interface SignInFormProps {
  readonly onSignedIn: (user: User) => void;
  /** Email of the last user, if known; the form then asks for the password only. */
  readonly email?: string;
}

export function SignInForm({ onSignedIn, email: known = '' }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [secondStep, setSecondStep] = useState<ReactNode>(null);
  const restart = () => {
    setSecondStep(null);
    setPassword('');
    attempt.reset();
  };
  const attempt = useMutation({
    mutationFn: async (credentials: Credentials) => {
      try {
        onSignedIn(await signIn(credentials));
      } catch (error) {
        const challenge = error instanceof ApiError && error.secondFactor;
        if (!challenge) throw error;
        const { SignInProof } = await import('./proofs.js');
        setSecondStep(<SignInProof challenge={challenge} onSignedIn={onSignedIn} onRestart={restart} />);
      }
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate({ email, password });
  };
  if (secondStep) return secondStep;
  return (
    <form onSubmit={submit}>
      <Stack>
        {attempt.error && <ErrorNotice title="You are not signed in" error={attempt.error} />}
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          autoFocus={known === ''}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus={known !== '' || undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={attempt.isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
