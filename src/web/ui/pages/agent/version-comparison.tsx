import { Select, Stack } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { VersionDifference } from './version-difference.js';
import { VersionFiguresTable } from './version-figures.js';

export interface VersionComparisonProps {
  readonly agent: AgentDetail;
  readonly version: number;
  /** Versions that it can be compared with. */
  readonly others: readonly number[];
  /** True: versions are compared with their secrets. */
  readonly reveals: boolean;
}

/** A version next to another one, first the newest: what their runs came to, and how the configs differ. */
export function VersionComparison({ agent, version, others, reveals }: VersionComparisonProps) {
  const [other, choose] = useState(agent.config_version);
  const ordered = [Math.min(version, other), Math.max(version, other)] as const;
  return (
    <Stack gap="sm">
      {others.length > 1 && (
        <Select
          label="Compare with"
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
      <VersionDifference
        key={ordered.join()}
        agentId={agent.id}
        before={ordered[0]}
        after={ordered[1]}
        reveals={reveals}
      />
    </Stack>
  );
}
