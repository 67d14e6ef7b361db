import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { signIn } from '../api/session.js';
import { ErrorNotice } from './error-notice.js';

export interface SignInFormProps {
  readonly onSignedIn: (user: User) => void;
  /** Email of the last user, if known; the form then asks for the password only. */
  readonly email?: string;
}

export function SignInForm({ onSignedIn, email: known = '' }: SignInFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const attempt = useMutation({ mutationFn: signIn, onSuccess: onSignedIn });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate({ email, password });
  };
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
