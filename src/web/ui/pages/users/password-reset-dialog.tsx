import { Modal, Text } from '@mantine/core';
import type { User } from '@agent-control-plane/client';
import { useCreatePasswordReset } from '../../api/users.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { OneTimeLink } from '../../components/one-time-link.js';

interface DialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

export function PasswordResetDialog({ user, onClose }: DialogProps) {
  const reset = useCreatePasswordReset(user.id);
  const name = user.name ?? user.email;
  if (reset.data) {
    return (
      <Modal
        opened
        onClose={onClose}
        title={`A link for ${name}`}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <OneTimeLink invitation={reset.data} onDone={onClose} />
      </Modal>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Reset the password of ${name}?`}
      confirmLabel="Create link"
      isDestructive={false}
      isBusy={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate()}
    >
      <Text size="sm">
        You get a link to send. All sessions of the account end now, and its owner is told about the link at
        the next sign-in. The current password works until the link is used.
      </Text>
    </ConfirmDialog>
  );
}
