import { Modal } from '@mantine/core';
import { useNavigate } from 'react-router';
import { useSubmissionKey } from '../../api/submission-key.js';
import { useCreateWebhook, type WebhookSettings } from '../../api/webhooks.js';
import { NewSecret } from '../../components/new-secret.js';
import { useProjectOfNew } from '../../components/project-select.js';
import { WebhookForm } from './webhook-form.js';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateWebhookDialog({ isOpen, onClose }: DialogProps) {
  const navigate = useNavigate();
  const create = useCreateWebhook();
  const [keyFor, settle] = useSubmissionKey();
  const { projectId, field } = useProjectOfNew('webhooks');
  const made = create.data;
  const submit = (settings: WebhookSettings) => {
    const wanted = { ...settings, ...(projectId !== undefined && { project_id: projectId }) };
    create.mutate({ wanted, key: keyFor(wanted) }, { onSuccess: settle });
  };
  const close = () => {
    onClose();
    create.reset();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={made ? 'The webhook is created' : 'Create a webhook'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <NewSecret
          secret={made.secret}
          what="signing secret"
          onDone={() => {
            close();
            void navigate(`/webhooks/${made.id}`);
          }}
        >
          Your endpoint uses it to verify that a message is genuine.
        </NewSecret>
      ) : (
        <WebhookForm
          initial={{
            url: '',
            events: ['*'],
            format: 'standard',
            description: null,
            include_payloads: false,
          }}
          submitLabel="Create webhook"
          isBusy={create.isPending}
          error={create.error}
          project={field}
          onSubmit={submit}
          onCancel={close}
        />
      )}
    </Modal>
  );
}
