import { Group, List, Text } from '@mantine/core';
import { IconPlayerStop, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { Deployment } from '@agent-control-plane/client';
import { useKillDeployment, useRestartDeployment, useStopDeployment } from '../../api/deployments.js';
import { showDone, showFailure } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { useRefusals } from '../../components/required-role.js';
import { shortId } from '../../components/short-id.js';
import { refusalOf } from './allowed-actions.js';
import { GuardedButton } from '../../components/guarded-button.js';

interface ActionsProps {
  readonly deployment: Deployment;
  readonly agentName: string;
}

export function DeploymentActions({ deployment, agentName }: ActionsProps) {
  const [asked, setAsked] = useState<'stop' | 'kill' | null>(null);
  const restart = useRestartDeployment(deployment);
  const { status } = deployment;
  const refusalIn = useRefusals();
  const noRestart = refusalIn(deployment.project_id, 'deploy');
  const noEnd = refusalIn(deployment.project_id, 'deploy', { isForOperators: true });
  const start = () =>
    restart.mutate(undefined, {
      onSuccess: () => showDone(`Restarting the deployment of ${agentName}`),
      onError: (error) => showFailure('Not restarted', error),
    });
  return (
    <Group gap="xs">
      <GuardedButton
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        refusal={noRestart ?? refusalOf('restart', status)}
        loading={restart.isPending}
        onClick={start}
      >
        Restart
      </GuardedButton>
      <GuardedButton
        variant="default"
        leftSection={<IconPlayerStop size={16} aria-hidden />}
        refusal={noEnd ?? refusalOf('stop', status)}
        onClick={() => setAsked('stop')}
      >
        Stop
      </GuardedButton>
      <GuardedButton
        variant="default"
        leftSection={<IconTrash size={16} aria-hidden />}
        refusal={noEnd ?? refusalOf('kill', status)}
        onClick={() => setAsked('kill')}
      >
        Delete
      </GuardedButton>
      <StopDialog
        deployment={deployment}
        agentName={agentName}
        isOpen={asked === 'stop'}
        onClose={() => setAsked(null)}
      />
      <KillDialog
        deployment={deployment}
        agentName={agentName}
        isOpen={asked === 'kill'}
        onClose={() => setAsked(null)}
      />
    </Group>
  );
}

interface DialogProps extends ActionsProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function StopDialog({ deployment, agentName, isOpen, onClose }: DialogProps) {
  const stop = useStopDeployment(deployment.id);
  const close = () => {
    stop.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      title={`Stop this deployment of ${agentName}?`}
      confirmLabel="Stop deployment"
      isBusy={stop.isPending}
      error={stop.error}
      onConfirm={() =>
        stop.mutate(undefined, {
          onSuccess: () => {
            showDone(`The deployment of ${agentName} is stopping`);
            close();
          },
        })
      }
    >
      <Text size="sm">
        Other deployments of the agent keep running. The agent becomes stopped if no other one is active. A
        restart starts this one again.
      </Text>
    </ConfirmDialog>
  );
}

function KillDialog({ deployment, agentName, isOpen, onClose }: DialogProps) {
  const kill = useKillDeployment(deployment.id);
  const close = () => {
    kill.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={close}
      title={`Delete this deployment of ${agentName}?`}
      confirmLabel="Delete deployment"
      isBusy={kill.isPending}
      error={kill.error}
      onConfirm={() =>
        kill.mutate(undefined, {
          onSuccess: () => {
            showDone(`The deployment of ${agentName} is deleted`);
            close();
          },
        })
      }
    >
      <List size="sm" spacing={6}>
        <List.Item>
          Deployment{' '}
          <Text span ff="monospace">
            {shortId(deployment.id)}
          </Text>{' '}
          is killed for good and can’t be started again.
        </List.Item>
        <List.Item>The agent becomes stopped.</List.Item>
        <List.Item>The record and its history stay.</List.Item>
      </List>
    </ConfirmDialog>
  );
}
