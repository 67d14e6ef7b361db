import { Text } from '@mantine/core';
import { type Member, type Project, useRemoveMember } from '../../api/projects.js';
import { useUser } from '../../app/require-session.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly project: Project;
  readonly member: Member;
  readonly onClose: () => void;
  readonly onRemoved?: () => void;
}

/** Removes a member, or lets the user leave. */
export function RemoveMemberDialog({ project, member, onClose, onRemoved }: DialogProps) {
  const remove = useRemoveMember(project.id, member.user_id);
  const isSelf = useUser().id === member.user_id;
  const name = member.name ?? member.email;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isSelf ? `Leave ${project.name}?` : `Remove ${name} from ${project.name}?`}
      confirmLabel={isSelf ? 'Leave project' : 'Remove member'}
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(isSelf ? `You have left ${project.name}` : `${name} is removed`);
            onRemoved?.();
          },
        })
      }
    >
      <Text size="sm">
        {isSelf ? 'You no longer see the project.' : 'They no longer see the project.'} What was created in it
        stays, and its project keys keep working.
      </Text>
    </ConfirmDialog>
  );
}
