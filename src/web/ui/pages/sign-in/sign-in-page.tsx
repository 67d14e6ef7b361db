import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { signIn } from '../../api/session.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { useEnter } from './enter.js';
import { Entrance } from './entrance.js';

export function SignInPage() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { search } = useLocation();
  const enter = useEnter();
  const attempt = useMutation({ mutationFn: signIn, onSuccess: enter });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate({ email, password });
  };
  const footer = (
    <>
      No account yet?{' '}
      <Anchor component={Link} to={`/sign-up${search}`} underline="always">
        Create one
      </Anchor>
    </>
  );
  return (
    <Entrance title="Sign in" footer={footer}>
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
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={attempt.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
