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
          ? 'It is your only one: your password alone signs you in then, and your recovery codes go, too.'
          : 'It can’t be used to sign in any more. The others can.'}
      </Text>
    </ConfirmDialog>
  );
}
