import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChangePassword } from '../../api/account.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { PasswordChecklist } from '../../components/password-checklist.js';

const RULES_ID = 'new-password-rules';

export function ChangePasswordForm({ email }: { readonly email: string }) {
  const [current, setCurrent] = useState('');
  const [wanted, setWanted] = useState('');
  const change = useChangePassword();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { current_password: current, new_password: wanted },
      {
        onSuccess: () => {
          setCurrent('');
          setWanted('');
          showDone('Your password is changed; all other sessions have ended');
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {change.error && <ErrorNotice title="The password was not changed" error={change.error} />}
        {/* password managers need the name of the account */}
        <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          aria-describedby={RULES_ID}
          value={wanted}
          onChange={(event) => setWanted(event.currentTarget.value)}
        />
        <PasswordChecklist id={RULES_ID} password={wanted} />
        <Text size="sm">All your other sessions end. API keys keep working.</Text>
        <div>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </div>
      </Stack>
    </form>
  );
}
