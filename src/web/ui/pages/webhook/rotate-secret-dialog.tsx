import { Modal, Text } from '@mantine/core';
import type { Webhook } from '@agent-control-plane/client';
import { useRotateWebhookSecret } from '../../api/webhooks.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { NewSecret } from '../../components/new-secret.js';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function RotateSecretDialog({ webhook, onClose }: DialogProps) {
  const rotate = useRotateWebhookSecret(webhook.id);
  if (rotate.data) {
    return (
      <Modal
        opened
        onClose={onClose}
        title="The webhook has a new secret"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <NewSecret secret={rotate.data.secret} what="signing secret" onDone={onClose}>
          For 24 hours messages are signed with both.
        </NewSecret>
      </Modal>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Rotate the signing secret?"
      confirmLabel="Rotate secret"
      isDestructive={false}
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
    >
      <Text size="sm">
        A new secret is created and shown once. For 24 hours every message is also signed with the old one, so
        that your endpoint at {webhook.url} can be updated in the meantime.
      </Text>
    </ConfirmDialog>
  );
}
