import { Modal } from '@mantine/core';
import type { Webhook } from '@agent-control-plane/client';
import { useUpdateWebhook } from '../../api/webhooks.js';
import { showDone } from '../../components/announce.js';
import { WebhookForm } from '../webhooks/webhook-form.js';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function EditWebhookDialog({ webhook, onClose }: DialogProps) {
  const update = useUpdateWebhook(webhook.id);
  return (
    <Modal opened onClose={onClose} size="lg" title="Edit the webhook">
      <WebhookForm
        initial={webhook}
        submitLabel="Save"
        isBusy={update.isPending}
        error={update.error}
        onSubmit={(settings) =>
          update.mutate(settings, {
            onSuccess: () => {
              onClose();
              showDone('The webhook is saved');
            },
          })
        }
        onCancel={onClose}
      />
    </Modal>
  );
}
