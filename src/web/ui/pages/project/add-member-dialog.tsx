import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import { type Project, type Role, useAddMember } from '../../api/projects.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { ROLES } from '../../components/required-role.js';
import { RoleSelect } from '../../components/role-select.js';

interface DialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Adds somebody by the address of their account. */
export function AddMemberDialog({ project, onClose }: DialogProps) {
  const add = useAddMember(project.id);
  const [keyFor, settle] = useSubmissionKey();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('deployer');
  const { fields, rest } = fieldErrors(add.error, ['email', 'role']);
  const wanted = { email: email.trim(), role };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { wanted, key: keyFor(wanted) },
      {
        onSuccess: () => {
          settle();
          onClose();
          showDone(`${wanted.email} is a member now`);
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title={`Add a member to ${project.name}`}>
      <form onSubmit={submit}>
        <Stack>
          {add.error && rest.length > 0 && <ErrorNotice title="Nobody was added" error={add.error} />}
          <TextInput
            label="Email"
            description="The address of their account"
            type="email"
            required
            withAsterisk={false}
            data-autofocus
            value={email}
            error={fields.email}
            onChange={(event) => setEmail(event.currentTarget.value)}
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
    </Modal>
  );
}
