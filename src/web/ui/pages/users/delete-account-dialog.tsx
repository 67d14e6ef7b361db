import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { User } from '@agent-control-plane/client';
import { useDeleteUser } from '../../api/users.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Deletes an account with all that names its person. The address is typed, because nothing brings it back. */
export function DeleteAccountDialog({ user, onClose }: DialogProps) {
  const remove = useDeleteUser(user.id);
  const [typed, setTyped] = useState('');
  const name = user.name ?? user.email;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete the account of ${name}?`}
      confirmLabel="Delete account"
      isBusy={remove.isPending}
      isDisabled={typed.trim() !== user.email}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`The account of ${name} is deleted`);
          },
        })
      }
    >
      <Stack gap="xs">
        <Text size="sm">
          Their sessions, keys, memberships and personal project are deleted at once. The audit log keeps what
          they did, without their name and addresses. This can’t be undone.
        </Text>
        <TextInput
          label={`Type ${user.email} to delete it`}
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
