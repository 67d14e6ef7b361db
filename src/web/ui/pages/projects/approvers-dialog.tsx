import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import type { Project } from '../../api/projects.js';
import { useChangeApprovers } from '../../api/two-approvers.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';

interface DialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Sets for which risk two people have to approve. */
export function ApproversDialog({ project, onClose }: DialogProps) {
  const [isTwo, setTwo] = useState(project.two_approvers_for !== null);
  const change = useChangeApprovers(project.id);
  const save = () =>
    change.mutate(isTwo ? 'high' : null, {
      onSuccess: () => {
        onClose();
        showDone(isTwo ? 'Actions of high risk need two approvals' : 'One person approves');
      },
    });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Approvals in ${project.name}`}
      confirmLabel="Save"
      isBusy={change.isPending}
      isDisabled={isTwo === (project.two_approvers_for !== null)}
      isDestructive={false}
      error={change.error}
      onConfirm={save}
    >
      <Checkbox
        label="Actions of high risk need two approvals"
        description="Neither of them may be the one who asked for the run. Either of them can reject it alone."
        checked={isTwo}
        onChange={(event) => setTwo(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
