import { Modal, Text } from '@mantine/core';
import { useAddPasskey } from '../../api/factors.js';
import { makePasskey } from '../../components/lazy-passkeys.js';
import { FactorAdded } from './factor-added.js';
import { FactorNameForm } from './factor-name-form.js';
import { programName } from './program-name.js';

/** Adds a passkey, which the browser makes. */
export function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const add = useAddPasskey(makePasskey);
  return (
    <Modal
      opened
      onClose={onClose}
      title="Add a passkey"
      // a click outside must not close it: recovery codes can't be shown again
      closeOnClickOutside={false}
      closeOnEscape={!add.data}
    >
      {add.data ? (
        <FactorAdded added={add.data} onDone={onClose} />
      ) : (
        <FactorNameForm
          suggestion={programName(navigator.userAgent)}
          label="Add the passkey"
          failureTitle="The passkey was not added"
          error={add.error}
          isBusy={add.isPending}
          onSubmit={(name) => add.mutate(name)}
          onCancel={onClose}
        >
          <Text size="sm">
            Your browser asks where to keep it: on this device, on your phone, or on a security key.
          </Text>
        </FactorNameForm>
      )}
    </Modal>
  );
}
