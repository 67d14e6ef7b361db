import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { AgentConfigVersion, AgentDetail } from '@agent-control-plane/client';
import { useAgentConfigs } from '../../api/agent-configs.js';
import { ActorLink } from '../../components/actor-link.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { useRefusals } from '../../components/required-role.js';
import { TimeAgo } from '../../components/time-ago.js';
import { DeployDialog } from './deploy-dialog.js';
import { VersionComparison } from './version-comparison.js';

export interface ConfigVersionsProps {
  readonly agent: AgentDetail;
  /** True: versions are compared with their secrets. */
  readonly reveals: boolean;
}

/** The saved versions, newest first: each can be compared with another one and deployed again. */
export function ConfigVersions({ agent, reveals }: ConfigVersionsProps) {
  const versions = useAgentConfigs(agent.id);
  const [compared, setCompared] = useState<number | null>(null);
  const [deployed, setDeployed] = useState<number | null>(null);
  if (versions.isPending) return <Pending rows={2} />;
  if (versions.error) return <ErrorNotice error={versions.error} />;
  const numbers = versions.rows.map(({ config_version: number }) => number);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Versions
      </Title>
      {versions.rows.map((version) => (
        <Version
          key={version.config_version}
          version={version}
          agent={agent}
          reveals={reveals}
          others={numbers.filter((number) => number !== version.config_version)}
          isCompared={compared === version.config_version}
          onCompare={() => setCompared(compared === version.config_version ? null : version.config_version)}
          onDeploy={() => setDeployed(version.config_version)}
        />
      ))}
      <LoadMore list={versions} />
      <DeployDialog agent={agent} version={deployed} onClose={() => setDeployed(null)} />
    </Stack>
  );
}

interface VersionProps extends ConfigVersionsProps {
  readonly version: AgentConfigVersion;
  /** The other versions. */
  readonly others: readonly number[];
  readonly isCompared: boolean;
  readonly onCompare: () => void;
  readonly onDeploy: () => void;
}

function Version({ version, agent, reveals, others, isCompared, onCompare, onDeploy }: VersionProps) {
  const { config_version: number, created_at } = version;
  const refusal = useRefusals()(agent.project_id, 'deploy');
  const isNewest = number === agent.config_version;
  const running = agent.deployments.filter((it) => it.config_version === number).length;
  return (
    <Stack gap={6}>
      <Group gap="sm" wrap="wrap">
        <Text fw={600}>Version {number}</Text>
        <Text size="sm" c="dimmed">
          saved <TimeAgo at={created_at} /> by <ActorLink of={version} />
          {running > 0 && `, ${running === 1 ? 'one deployment' : `${running} deployments`}`}
        </Text>
        {!isNewest && (
          <Button size="compact-sm" variant="default" aria-expanded={isCompared} onClick={onCompare}>
            Compare
          </Button>
        )}
        <GuardedButton size="compact-sm" variant="default" refusal={refusal} onClick={onDeploy}>
          {isNewest ? 'Deploy' : 'Roll back'}
        </GuardedButton>
      </Group>
      {isCompared && <VersionComparison agent={agent} version={number} others={others} reveals={reveals} />}
    </Stack>
  );
}
