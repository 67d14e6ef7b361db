import { Text } from '@mantine/core';
import type { SecondFactor } from '@agent-control-plane/client';
import { useRemoveFactor } from '../../api/factors.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly factor: SecondFactor;
  readonly isLast: boolean;
  readonly onClose: () => void;
}

export function RemoveFactorDialog({ factor, isLast, onClose }: DialogProps) {
  const remove = useRemoveFactor(factor.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove ${factor.name}?`}
      confirmLabel="Remove"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`${factor.name} is removed`);
          },
        })
      }
    >
      <Text size="sm">
        {isLast
          ? 'It is your only second factor. Without it, your password alone signs you in, and your recovery codes are deleted.'
          : 'It can no longer be used to sign in. Your other factors still can.'}
      </Text>
    </ConfirmDialog>
  );
}
