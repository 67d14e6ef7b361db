import { ActionIcon, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDots,
  IconFolderSymlink,
  IconKey,
  IconPlayerStop,
  IconRocket,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { AgentDetail } from '@agent-control-plane/client';
import { useDeleteAgent, useStopAgent } from '../../api/agent-acts.js';
import { useHasSharedProjects } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { GuardedItem } from '../../components/guarded-item.js';
import { isActive } from '../../components/lifecycle.js';
import { useRefusals } from '../../components/required-role.js';
import { DeployDialog } from './deploy-dialog.js';
import { MoveDialog } from './move-dialog.js';
import { PauseButton } from './pause-button.js';
import { RunButton } from './run-button.js';

/** Actions of an agent; those that its status or the user's role does not allow say so. */
export function AgentActions({ agent }: { readonly agent: AgentDetail }) {
  const [isStopping, stopping] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const [isMoving, moving] = useDisclosure(false);
  const [deployed, setDeployed] = useState<number | null>(null);
  const hasProjects = useHasSharedProjects();
  const refusalIn = useRefusals();
  const noChange = refusalIn(agent.project_id, 'agents');
  const active = agent.deployments.filter(isActive);
  return (
    <>
      <RunButton agent={agent} variant="default" />
      <GuardedButton
        leftSection={<IconRocket size={16} aria-hidden />}
        refusal={refusalIn(agent.project_id, 'deploy')}
        onClick={() => setDeployed(agent.config_version)}
      >
        Deploy
      </GuardedButton>
      <GuardedButton
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        refusal={
          refusalIn(agent.project_id, 'deploy', { isForOperators: true }) ??
          (active.length === 0 ? 'It has no active deployment' : null)
        }
        onClick={stopping.open}
      >
        Stop
      </GuardedButton>
      <PauseButton agent={agent} />
      <Menu position="bottom-end" width={hasProjects ? 240 : 200} withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label="More actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to="/api-keys" leftSection={<IconKey size={16} aria-hidden />}>
            API keys
          </Menu.Item>
          {hasProjects && (
            <GuardedItem
              leftSection={<IconFolderSymlink size={16} aria-hidden />}
              refusal={noChange}
              onClick={moving.open}
            >
              Move to another project
            </GuardedItem>
          )}
          <GuardedItem
            color="var(--bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            refusal={refusalIn(agent.project_id, 'agents', { isForOperators: true })}
            onClick={deleting.open}
          >
            Delete agent
          </GuardedItem>
        </Menu.Dropdown>
      </Menu>
      <DeployDialog agent={agent} version={deployed} onClose={() => setDeployed(null)} />
      <StopDialog agent={agent} count={active.length} isOpen={isStopping} onClose={stopping.close} />
      <DeleteDialog agent={agent} isOpen={isDeleting} onClose={deleting.close} />
      {isMoving && <MoveDialog agent={agent} onClose={moving.close} />}
    </>
  );
}

interface DialogProps {
  readonly agent: AgentDetail;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function StopDialog({ agent, count, isOpen, onClose }: DialogProps & { readonly count: number }) {
  const stop = useStopAgent(agent.id);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Stop ${agent.name}?`}
      confirmLabel="Stop agent"
      isBusy={stop.isPending}
      error={stop.error}
      onConfirm={() =>
        stop.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showDone(`${agent.name} is stopping`);
          },
        })
      }
    >
      {count === 1
        ? 'Its deployment ends. It can be restarted later.'
        : `Its ${count} deployments end. They can be restarted later.`}
    </ConfirmDialog>
  );
}

function DeleteDialog({ agent, isOpen, onClose }: DialogProps) {
  const navigate = useNavigate();
  const remove = useDeleteAgent(agent.id);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${agent.name}?`}
      confirmLabel="Delete agent"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            showDone(`${agent.name} is deleted`);
            void navigate('/agents', { replace: true });
          },
        })
      }
    >
      Its deployments end, its keys stop working at once, and its logs and metrics are deleted. This can’t be
      undone.
    </ConfirmDialog>
  );
}
