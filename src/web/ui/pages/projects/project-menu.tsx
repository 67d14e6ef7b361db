import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil, IconTrash, IconUsers } from '@tabler/icons-react';
import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type Project, useDeleteProject, useRenameProject } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { useRefusals } from '../../components/required-role.js';
import { ApproversDialog } from './approvers-dialog.js';
import { ProjectNameDialog } from './project-name-dialog.js';

type Asked = 'rename' | 'approvers' | 'delete';

/** Actions of a shared project. */
export function ProjectMenu({ project }: { readonly project: Project }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const refusal = useRefusals()(project.id, 'members');
  const close = () => setAsked(null);
  return (
    <>
      <Menu position="bottom-end" width={210}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${project.name}`}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <GuardedItem
            leftSection={<IconPencil size={16} aria-hidden />}
            refusal={refusal}
            onClick={() => setAsked('rename')}
          >
            Rename
          </GuardedItem>
          <GuardedItem
            leftSection={<IconUsers size={16} aria-hidden />}
            refusal={refusal}
            onClick={() => setAsked('approvers')}
          >
            Approvals
          </GuardedItem>
          <GuardedItem
            color="var(--bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            refusal={refusal}
            onClick={() => setAsked('delete')}
          >
            Delete project
          </GuardedItem>
        </Menu.Dropdown>
      </Menu>
      {asked === 'rename' && <RenameDialog project={project} onClose={close} />}
      {asked === 'approvers' && <ApproversDialog project={project} onClose={close} />}
      {asked === 'delete' && <DeleteDialog project={project} onClose={close} />}
    </>
  );
}

interface DialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

function RenameDialog({ project, onClose }: DialogProps) {
  const rename = useRenameProject(project.id);
  return (
    <ProjectNameDialog
      title={`Rename ${project.name}`}
      submitLabel="Rename"
      initial={project.name}
      isBusy={rename.isPending}
      error={rename.error}
      onClose={onClose}
      onSubmit={(name) =>
        rename.mutate(name, {
          onSuccess: () => {
            onClose();
            showDone(`The project is now named ${name}`);
          },
        })
      }
    />
  );
}

function DeleteDialog({ project, onClose }: DialogProps) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const remove = useDeleteProject(project.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${project.name}?`}
      confirmLabel="Delete project"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`${project.name} is deleted`);
            if (pathname !== '/projects') void navigate('/projects', { replace: true });
          },
        })
      }
    >
      <Text size="sm">
        Its webhooks and keys are deleted, and its members no longer see it. That can’t be undone. A project
        that still has agents can’t be deleted.
      </Text>
    </ConfirmDialog>
  );
}
