import { Select, Stack, Text } from '@mantine/core';
import { hasMaskedValues } from '@agent-control-plane/client/internal/masked-config';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useAgentConfig } from '../../api/agent-configs.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { ConfigDiff } from './config-diff.js';
import { VersionFiguresTable } from './version-figures.js';

export interface VersionComparisonProps {
  readonly agent: AgentDetail;
  readonly version: number;
  /** Versions that it can be compared with. */
  readonly others: readonly number[];
  /** True: versions are compared with their secrets. */
  readonly reveals: boolean;
}

/** A version beside another one, first the newest: what their runs came to, and how the configs differ. */
export function VersionComparison({ agent, version, others, reveals }: VersionComparisonProps) {
  const [other, choose] = useState(agent.config_version);
  const ordered = [Math.min(version, other), Math.max(version, other)] as const;
  return (
    <Stack gap="sm">
      {others.length > 1 && (
        <Select
          label="Beside it"
          size="xs"
          w={200}
          allowDeselect={false}
          data={others.map((it) => ({
            value: String(it),
            label: it === agent.config_version ? `Version ${it}, the newest` : `Version ${it}`,
          }))}
          value={String(other)}
          onChange={(value) => choose(Number(value))}
        />
      )}
      <VersionFiguresTable agentId={agent.id} versions={ordered} />
      <Difference key={ordered.join()} agentId={agent.id} versions={ordered} reveals={reveals} />
    </Stack>
  );
}

interface DifferenceProps {
  readonly agentId: string;
  readonly versions: readonly [before: number, after: number];
  readonly reveals: boolean;
}

/** How two configs differ. The list of versions shows no value of `env`, so both are read. */
function Difference({ agentId, versions: [first, second], reveals }: DifferenceProps) {
  const before = useAgentConfig(agentId, first, reveals);
  const after = useAgentConfig(agentId, second, reveals);
  const error = before.error ?? after.error;
  if (error) return <ErrorNotice error={error} />;
  if (before.data === undefined || after.data === undefined) return <Pending rows={2} />;
  return (
    <Stack gap={6}>
      <ConfigDiff
        before={before.data}
        after={after.data}
        isAsShown
        label={`Version ${first} to version ${second}`}
      />
      {hasMaskedValues(before.data) && hasMaskedValues(after.data) && (
        <Text size="sm" c="dimmed">
          Values that are masked are not compared.
        </Text>
      )}
    </Stack>
  );
}
