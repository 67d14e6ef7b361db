import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useMoveAgent } from '../../api/agent-acts.js';
import { useProject, useProjects } from '../../api/projects.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { ProjectSelect } from '../../components/project-select.js';
import { useRefusals } from '../../components/required-role.js';

interface DialogProps {
  readonly agent: AgentDetail;
  readonly onClose: () => void;
}

/** Hands the agent over to another project of the user. */
export function MoveDialog({ agent, onClose }: DialogProps) {
  const { data: projects = [] } = useProjects();
  const refusalIn = useRefusals();
  const move = useMoveAgent(agent.id);
  const others = projects.filter(({ id }) => id !== agent.project_id);
  const [picked, setPicked] = useState<string>();
  const projectId = picked ?? others.find(({ id }) => refusalIn(id, 'agents') === null)?.id ?? null;
  const name = useProject(projectId)?.name ?? '';
  const confirm = () => {
    if (projectId === null) return;
    move.mutate(projectId, {
      onSuccess: () => {
        onClose();
        showDone(`${agent.name} is now in ${name}`);
      },
    });
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Move ${agent.name} to another project?`}
      confirmLabel="Move agent"
      isDestructive={false}
      isDisabled={projectId === null}
      isBusy={move.isPending}
      error={move.error}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        <ProjectSelect
          label="Project"
          scope="agents"
          projects={others}
          value={projectId}
          error={projectId === null && 'You are a maintainer of no other project'}
          onChange={setPicked}
        />
        <Text size="sm">
          Its deployments, keys, logs and history move with it, and what runs keeps running. Members of this
          project no longer see it. New events go to the webhooks of the other project.
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
