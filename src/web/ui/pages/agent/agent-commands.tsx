import { Stack, Text } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import type { AgentDetail } from '@agent-control-plane/client';
import { CommandList } from '../../components/command-list.js';
import { EmptyState } from '../../components/empty-state.js';
import { isActive } from '../../components/lifecycle.js';
import { shortId } from '../../components/short-id.js';

/** Largest number of deployments whose commands are listed here; others have them on their own pages. */
const MOST_SHOWN = 3;

/** The commands of the agent's active deployments, or else of its last one. */
export function AgentCommands({ agent: { deployments } }: { readonly agent: AgentDetail }) {
  const active = deployments.filter(isActive);
  const shown = (active.length > 0 ? active : deployments.slice(0, 1)).slice(0, MOST_SHOWN);
  if (shown.length === 0) {
    return (
      <EmptyState icon={IconTerminal2} title="No commands yet">
        A deploy, a scale, a restart or a stop becomes a command, which the agent’s runtime carries out.
      </EmptyState>
    );
  }
  return (
    <Stack>
      {shown.map(({ id }) => (
        <div key={id}>
          <Text size="sm" c="dimmed" mb={4}>
            Deployment <code>…{shortId(id)}</code>
          </Text>
          <CommandList deploymentId={id} label={`Commands of deployment ${shortId(id)}`} />
        </div>
      ))}
    </Stack>
  );
}
