import { useState } from 'react';
import { type Member, type Project, useChangeMember } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { ROLES } from '../../components/required-role.js';
import { RoleSelect } from '../../components/role-select.js';

interface DialogProps {
  readonly project: Project;
  readonly member: Member;
  readonly onClose: () => void;
}

export function ChangeRoleDialog({ project, member, onClose }: DialogProps) {
  const change = useChangeMember(project.id, member.user_id);
  const [role, setRole] = useState(member.role);
  const name = member.name ?? member.email;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Change the role of ${name}?`}
      confirmLabel="Change role"
      isDestructive={false}
      isDisabled={role === member.role}
      isBusy={change.isPending}
      error={change.error}
      onConfirm={() =>
        change.mutate(role, {
          onSuccess: () => {
            onClose();
            showDone(`${name} is now ${role}`);
          },
        })
      }
    >
      <RoleSelect label="Role" roles={ROLES} value={role} onChange={setRole} />
    </ConfirmDialog>
  );
}
