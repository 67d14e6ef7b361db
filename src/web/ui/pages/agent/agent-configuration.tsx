import { Stack, Text } from '@mantine/core';
import type { AgentDetail } from '@agent-control-plane/client';
import { CodeBlock } from '../../components/code-block.js';

/** The agent's config, which each command carries to the runtime. */
export function AgentConfiguration({ agent }: { readonly agent: AgentDetail }) {
  return (
    <Stack gap="sm">
      {agent.description !== null && <Text>{agent.description}</Text>}
      <Text size="sm" c="dimmed">
        The runtime gets this with each command.
      </Text>
      <CodeBlock code={indented(agent.config)} what="configuration" />
      {agent.capabilities !== null && (
        <CodeBlock code={JSON.stringify(agent.capabilities, null, 2)} what="capabilities" />
      )}
      {agent.metadata !== null && (
        <CodeBlock code={JSON.stringify(agent.metadata, null, 2)} what="metadata" />
      )}
    </Stack>
  );
}

/** Indents the config; the service has validated that it is JSON. */
function indented(config: string): string {
  try {
    return JSON.stringify(JSON.parse(config), null, 2);
  } catch {
    return config;
  }
}
