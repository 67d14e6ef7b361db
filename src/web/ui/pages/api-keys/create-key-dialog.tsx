import { Modal } from '@mantine/core';
import { useCreateApiKey } from '../../api/api-keys.js';
import { NewSecret } from '../../components/new-secret.js';
import { KeyForm } from './key-form.js';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ isOpen, onClose }: DialogProps) {
  const create = useCreateApiKey();
  const close = () => {
    onClose();
    // the key must not stay in memory
    create.reset();
  };
  const made = create.data;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={made ? `${made.name} is created` : 'Create an API key'}
      // a click outside must not close the dialog: the key can't be shown again
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <NewSecret secret={made.key} what={made.agent_id === null ? 'API key' : 'agent key'} onDone={close}>
          {made.agent_id === null
            ? 'Programs send it as a bearer token.'
            : 'Its runtime takes it as SERVICE_AGENT_KEY.'}
        </NewSecret>
      ) : (
        <KeyForm create={create} onCancel={close} />
      )}
    </Modal>
  );
}
