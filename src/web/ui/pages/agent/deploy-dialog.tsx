import { Checkbox, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useDeployAgent } from '../../api/agent-acts.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { isActive } from '../../components/lifecycle.js';

export interface DeployDialogProps {
  readonly agent: AgentDetail;
  /** The config version to deploy; null: the dialog is closed. */
  readonly version: number | null;
  readonly onClose: () => void;
}

/** Describes the effects of a deploy. Active deployments are replaced unless the person chooses otherwise. */
export function DeployDialog({ agent, version, onClose }: DeployDialogProps) {
  const deploy = useDeployAgent(agent.id);
  const [keyFor, settle] = useSubmissionKey();
  const [replaces, setReplaces] = useState(true);
  const active = agent.deployments.filter(isActive).length;
  const close = () => {
    deploy.reset();
    onClose();
  };
  const confirm = () => {
    const request = {
      config_version: version ?? agent.config_version,
      replaces: active > 0 && replaces ? ('active' as const) : ('none' as const),
    };
    deploy.mutate(
      { deploy: request, key: keyFor(request) },
      {
        onSuccess: () => {
          settle();
          close();
          showDone('The deployment is queued');
        },
      },
    );
  };
  return (
    <ConfirmDialog
      isOpen={version !== null}
      onClose={close}
      title={`Deploy ${agent.name}?`}
      confirmLabel={active > 0 && replaces ? 'Deploy and replace' : 'Deploy agent'}
      isBusy={deploy.isPending}
      error={deploy.error}
      isDestructive={false}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        <Text size="sm">
          A new deployment starts with one replica and configuration version {version ?? agent.config_version}
          {version !== null &&
            version !== agent.config_version &&
            `, not the newest (${agent.config_version})`}
          .
        </Text>
        {active > 0 && (
          <Checkbox
            checked={replaces}
            onChange={(event) => setReplaces(event.currentTarget.checked)}
            label={
              active === 1 ? 'Replace the active deployment' : `Replace the ${active} active deployments`
            }
            description={
              active === 1
                ? 'It stops once the new one is ready, and stays if the new one fails.'
                : 'They stop once the new one is ready, and stay if the new one fails.'
            }
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
