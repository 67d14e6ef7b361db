import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { fieldErrors } from '../../api/field-errors.js';
import { useLoginMethods } from '../../api/login-methods.js';
import { signUp } from '../../api/session.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { useEnter } from './enter.js';
import { Entrance, ENTRANCE_TITLES, useWantedPath } from './entrance.js';
import { PasswordChecklist } from '../../components/password-checklist.js';

const RULES_ID = 'password-rules';

export function SignUpPage() {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [setupToken, setSetupToken] = useState('');
  const { search } = useLocation();
  const isFirst = useLoginMethods().data?.creates_operator === true;
  // `/sign-up?setup` is for the first operator if the first account does not become one
  const isSetup = !isFirst && new URLSearchParams(search).has('setup');
  const enter = useEnter(useWantedPath());
  const attempt = useMutation({ mutationFn: signUp, onSuccess: enter });
  const { fields, rest } = fieldErrors(attempt.error, ['name', 'email', 'password', 'setup_token']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate({
      email,
      password,
      ...(name.trim() !== '' && { name: name.trim() }),
      ...(isSetup && { setup_token: setupToken.trim() }),
    });
  };
  const footer = (
    <>
      Have an account?{' '}
      <Anchor component={Link} to={`/sign-in${search}`} underline="always">
        Sign in
      </Anchor>
    </>
  );
  return (
    <Entrance
      title={isFirst || isSetup ? 'Create the operator account' : ENTRANCE_TITLES['/sign-up']}
      footer={!isFirst && footer}
    >
      <form onSubmit={submit}>
        <Stack>
          {(isFirst || isSetup) && <Text size="sm">The operator manages the accounts of all users.</Text>}
          {attempt.error && rest.length > 0 && (
            <ErrorNotice title="The account was not created" error={attempt.error} />
          )}
          <TextInput
            label="Name"
            description="Optional"
            name="name"
            autoComplete="name"
            autoFocus
            maxLength={200}
            value={name}
            error={fields.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            error={fields.email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="new-password"
            required
            withAsterisk={false}
            aria-describedby={RULES_ID}
            value={password}
            error={fields.password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <PasswordChecklist id={RULES_ID} password={password} />
          {isSetup && (
            <PasswordInput
              label="Setup token"
              description="From the service’s log, or its SETUP_TOKEN"
              autoComplete="off"
              required
              withAsterisk={false}
              value={setupToken}
              error={fields.setup_token}
              onChange={(event) => setSetupToken(event.currentTarget.value)}
            />
          )}
          <Button type="submit" loading={attempt.isPending}>
            Create account
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
