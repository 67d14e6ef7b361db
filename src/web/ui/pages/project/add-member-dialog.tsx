import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { type Project, type Role, useAddMember, useInviteMember } from '../../api/projects.js';
import { ApiError } from '../../api/request.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { useUser } from '../../app/require-session.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { OneTimeLink } from '../../components/one-time-link.js';
import { ROLES } from '../../components/required-role.js';
import { RoleSelect } from '../../components/role-select.js';

interface DialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Adds a person by address. An operator can create the account of a person who has none. */
export function AddMemberDialog({ project, onClose }: DialogProps) {
  const invite = useInviteMember(project.id);
  const made = invite.data;
  return (
    <Modal
      opened
      onClose={onClose}
      title={made ? `${made.user.email} is invited` : `Add a member to ${project.name}`}
      // a click outside must not close the dialog: the link can't be shown again
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <OneTimeLink invitation={made} onDone={onClose} />
      ) : (
        <MemberForm project={project} invite={invite} onClose={onClose} />
      )}
    </Modal>
  );
}

interface FormProps extends DialogProps {
  readonly invite: ReturnType<typeof useInviteMember>;
}

function MemberForm({ project, invite, onClose }: FormProps) {
  const isOperator = useUser().is_admin;
  const add = useAddMember(project.id);
  const [keyFor, settle] = useSubmissionKey();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('deployer');
  const error = invite.error ?? add.error;
  const { fields, rest } = fieldErrors(error, ['email', 'role']);
  const hasNoAccount = add.error instanceof ApiError && add.error.status === 404;
  const wanted = { email: email.trim(), role };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.reset();
    add.mutate(
      { wanted, key: keyFor(wanted) },
      {
        onSuccess: () => {
          settle();
          onClose();
          showDone(`${wanted.email} is now a member`);
        },
      },
    );
  };
  const change = (address: string) => {
    setEmail(address);
    add.reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && rest.length > 0 && <ErrorNotice title="The member was not added" error={error} />}
        {hasNoAccount && isOperator && (
          <Group justify="space-between">
            <Text size="sm">As an operator you can create the account, a member with the role below.</Text>
            <Button
              size="xs"
              variant="default"
              loading={invite.isPending}
              onClick={() => invite.mutate({ wanted, key: keyFor({ invited: wanted }) })}
            >
              Create the account
            </Button>
          </Group>
        )}
        <TextInput
          label="Email"
          description="The address of their account"
          type="email"
          required
          withAsterisk={false}
          data-autofocus
          value={email}
          error={fields.email}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <RoleSelect label="Role" roles={ROLES} value={role} error={fields.role} onChange={setRole} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending} disabled={wanted.email === ''}>
            Add member
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
