import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { useRemoveFactors } from '../../api/users.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Lets a person in who has lost their second factor. The address is typed, because a password is then enough for the account. */
export function RemoveFactorsDialog({ user, onClose }: DialogProps) {
  const remove = useRemoveFactors(user.id);
  const [typed, setTyped] = useState('');
  const name = user.name ?? user.email;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove the second factor of ${name}?`}
      confirmLabel="Remove second factor"
      isBusy={remove.isPending}
      isDisabled={typed.trim() !== user.email}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`${name} now signs in with only a password`);
          },
        })
      }
    >
      <Stack gap="xs">
        <Text size="sm">
          Make sure that the request comes from them, not from someone who knows their password. Their
          authenticator apps, passkeys and recovery codes are removed, and all their sessions end.
        </Text>
        <TextInput
          label={`Type ${user.email} to remove it`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmDialog>
  );
}
