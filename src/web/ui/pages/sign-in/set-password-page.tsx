import { Anchor, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import { resetPassword } from '../../api/session.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { PasswordChecklist } from '../../components/password-checklist.js';
import { Entrance, ENTRANCE_TITLES } from './entrance.js';

const RULES_ID = 'password-rules';

/** The page of a one-time link. Its token is in the fragment, which browsers don't send. */
export function SetPasswordPage() {
  const token = useLocation().hash.slice(1);
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const attempt = useMutation({
    mutationFn: () => resetPassword(token, password),
    onSuccess: () => {
      showDone('Your password is set: sign in with it');
      // all sessions of the account have ended, perhaps also the one of this browser
      void client.invalidateQueries({ queryKey: queryKeys.session });
      void navigate('/sign-in', { replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate();
  };
  const footer = (
    <Anchor component={Link} to="/sign-in" underline="always">
      Sign in
    </Anchor>
  );
  return (
    <Entrance title={ENTRANCE_TITLES['/set-password']} footer={footer} isForAll>
      {token === '' ? (
        <Text>This page needs the whole link that an operator gave you.</Text>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            {attempt.error && <ErrorNotice title="The password was not set" error={attempt.error} />}
            <PasswordInput
              label="New password"
              name="password"
              autoComplete="new-password"
              required
              withAsterisk={false}
              autoFocus
              aria-describedby={RULES_ID}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <PasswordChecklist id={RULES_ID} password={password} />
            <Button type="submit" loading={attempt.isPending}>
              Set password
            </Button>
          </Stack>
        </form>
      )}
    </Entrance>
  );
}
