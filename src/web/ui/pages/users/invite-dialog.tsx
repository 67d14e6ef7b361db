import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { useInviteUser } from '../../api/users.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { OneTimeLink } from '../../components/one-time-link.js';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function InviteDialog({ isOpen, onClose }: DialogProps) {
  const invite = useInviteUser();
  const close = () => {
    onClose();
    // the link must not stay in memory
    invite.reset();
  };
  const made = invite.data;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made ? `${made.user.email} is invited` : 'Invite a person'}
      // a click outside must not close the dialog: the link can't be shown again
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <OneTimeLink invitation={made} onDone={close} />
      ) : (
        <InviteForm invite={invite} onCancel={close} />
      )}
    </Modal>
  );
}

interface FormProps {
  readonly invite: ReturnType<typeof useInviteUser>;
  readonly onCancel: () => void;
}

function InviteForm({ invite, onCancel }: FormProps) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [keyFor, settle] = useSubmissionKey();
  const { fields, rest } = fieldErrors(invite.error, ['email', 'name']);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = { email, ...(name.trim() !== '' && { name: name.trim() }) };
    invite.mutate({ wanted, key: keyFor(wanted) }, { onSuccess: settle });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {invite.error && rest.length > 0 && (
          <ErrorNotice title="The account was not created" error={invite.error} />
        )}
        <TextInput
          label="Email"
          type="email"
          required
          withAsterisk={false}
          data-autofocus
          value={email}
          error={fields.email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label="Name"
          description="Optional"
          maxLength={200}
          value={name}
          error={fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
