import { useNavigate } from 'react-router';
import type { Webhook } from '@agent-control-plane/client';
import { useDeleteWebhook } from '../../api/webhooks.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeleteWebhookDialog({ webhook, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useDeleteWebhook(webhook.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Delete this webhook?"
      confirmLabel="Delete webhook"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            showDone('The webhook is deleted');
            void navigate('/webhooks');
          },
        })
      }
    >
      Nothing more is sent to {webhook.url}, and its delivery history is deleted.
    </ConfirmDialog>
  );
}
