import type { ApiKey } from '@agent-control-plane/client';
import { useRevokeApiKey } from '../../api/api-keys.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, onClose }: DialogProps) {
  const revoke = useRevokeApiKey(apiKey.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${apiKey.name}?`}
      confirmLabel="Revoke key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`${apiKey.name} is revoked`);
          },
        })
      }
    >
      Whatever uses it is refused from now on{apiKey.agent_id !== null && ', the agent’s runtime too'}. That
      can’t be undone.
    </ConfirmDialog>
  );
}
