import { Modal, Text } from '@mantine/core';
import { useNewRecoveryCodes } from '../../api/factors.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { RecoveryCodes } from './recovery-codes.js';

/** Makes new recovery codes in place of those that the user has. */
export function NewCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const make = useNewRecoveryCodes();
  if (make.data) {
    return (
      <Modal
        opened
        onClose={onClose}
        title="New recovery codes"
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <RecoveryCodes codes={make.data.recovery_codes} onDone={onClose} />
      </Modal>
    );
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Create new recovery codes?"
      confirmLabel="Create codes"
      isDestructive={false}
      isBusy={make.isPending}
      error={make.error}
      onConfirm={() => make.mutate(undefined)}
    >
      <Text size="sm">You get ten new codes, and the old ones stop working.</Text>
    </ConfirmDialog>
  );
}
