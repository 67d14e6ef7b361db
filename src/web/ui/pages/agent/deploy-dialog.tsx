import { Checkbox, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useDeployAgent } from '../../api/agent-acts.js';
import { replicasToKeep } from '../../api/replicas-after-deploy.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { showDone } from '../../components/announce.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { counted } from '../../components/counted.js';
import { keepReplicas } from '../../components/keep-replicas.js';
import { isActive } from '../../components/lifecycle.js';
import { runningVersion } from './deployed-version.js';
import { VersionDifference } from './version-difference.js';

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
  const [typed, setTyped] = useState<number | null>(null);
  const deployed = version ?? agent.config_version;
  const running = runningVersion(agent);
  const active = agent.deployments.filter(isActive).length;
  const doesReplace = active > 0 && replaces;
  const replicas = typed ?? (doesReplace ? replicasToKeep(agent.deployments) : 1);
  const close = () => {
    deploy.reset();
    setTyped(null);
    onClose();
  };
  const confirm = () => {
    const request = {
      config_version: deployed,
      replaces: doesReplace ? ('active' as const) : ('none' as const),
    };
    // not by the callbacks of mutate: an event of the feed may remove the dialog before the reply has come
    deploy.mutateAsync({ deploy: request, key: keyFor(request) }).then(
      ({ id }) => {
        settle();
        close();
        showDone(`Version ${deployed} is queued for deployment`);
        void keepReplicas(agent.name, id, replicas).then((isScaled) => {
          if (isScaled) showDone(`${agent.name} is scaled to ${counted(replicas, 'replica')}`);
        });
      },
      // the dialog shows the failure
      () => undefined,
    );
  };
  return (
    <ConfirmDialog
      isOpen={version !== null}
      onClose={close}
      title={`Deploy version ${deployed} of ${agent.name}?`}
      confirmLabel={`Deploy version ${deployed}`}
      isBusy={deploy.isPending}
      error={deploy.error}
      isDestructive={false}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        <Text size="sm">{versionText(deployed, running, agent.config_version)}</Text>
        {version !== null && running !== null && running !== deployed && (
          <VersionDifference agentId={agent.id} before={running} after={deployed} />
        )}
        <NumberInput
          label="Replicas"
          description={
            replicas > 1
              ? `It starts with one and is scaled to ${replicas} once it runs. Keep this page open until then.`
              : undefined
          }
          w={260}
          min={1}
          allowDecimal={false}
          value={replicas}
          onChange={(value) => setTyped(typeof value === 'number' ? value : null)}
        />
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

function versionText(deployed: number, running: number | null, newest: number): string {
  const which = deployed === newest ? 'the newest' : `not the newest, which is ${newest}`;
  const about = `Configuration version ${deployed}, ${which}.`;
  if (running === null) return about;
  return running === deployed
    ? `${about} The same version runs now.`
    : `${about} Version ${running} runs now.`;
}
