import { Stack, Text } from '@mantine/core';
import { hasMaskedValues } from '@agent-control-plane/client/internal/masked-config';
import { useAgentConfig } from '../../api/agent-configs.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { ConfigDiff } from './config-diff.js';

export interface VersionDifferenceProps {
  readonly agentId: string;
  readonly before: number;
  readonly after: number;
  /** True: versions are compared with their secrets. */
  readonly reveals?: boolean;
}

/** How two configs differ. The list of versions shows no value of `env`, so both are read. */
export function VersionDifference({ agentId, before, after, reveals = false }: VersionDifferenceProps) {
  const one = useAgentConfig(agentId, before, reveals);
  const other = useAgentConfig(agentId, after, reveals);
  const error = one.error ?? other.error;
  if (error) return <ErrorNotice error={error} />;
  if (one.data === undefined || other.data === undefined) return <Pending rows={2} />;
  return (
    <Stack gap={6}>
      <ConfigDiff
        before={one.data}
        after={other.data}
        isAsShown
        label={`Version ${before} to version ${after}`}
      />
      {hasMaskedValues(one.data) && hasMaskedValues(other.data) && (
        <Text size="sm" c="dimmed">
          Values that are masked are not compared.
        </Text>
      )}
    </Stack>
  );
}
