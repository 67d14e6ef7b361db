import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { indentedConfig, maskedConfig } from '@agent-control-plane/client/internal/masked-config';
import { CodeBlock } from '../../components/code-block.js';
import { ConfigEditor } from './config-editor.js';
import { ConfigVersions } from './config-versions.js';

/** The agent's config, its editor and its versions. Values of `env` may be secrets: they are shown when asked for. */
export function AgentConfiguration({ agent }: { readonly agent: AgentDetail }) {
  const [showsSecrets, setShowsSecrets] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const masked = maskedConfig(agent.config);
  if (isEdited) return <ConfigEditor agent={agent} onClose={() => setEdited(false)} />;
  return (
    <Stack gap="sm">
      {agent.description !== null && <Text>{agent.description}</Text>}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Version {agent.config_version}. A deployment keeps the version that it was made with.
        </Text>
        <Group gap="xs">
          {masked !== agent.config && (
            <Button
              variant="default"
              aria-pressed={showsSecrets}
              onClick={() => setShowsSecrets(!showsSecrets)}
            >
              {showsSecrets ? 'Hide secrets' : 'Show secrets'}
            </Button>
          )}
          <Button variant="default" onClick={() => setEdited(true)}>
            Edit
          </Button>
        </Group>
      </Group>
      <CodeBlock code={indentedConfig(showsSecrets ? agent.config : masked).trimEnd()} what="configuration" />
      <ConfigVersions agent={agent} showsSecrets={showsSecrets} />
      {agent.capabilities !== null && (
        <CodeBlock code={JSON.stringify(agent.capabilities, null, 2)} what="capabilities" />
      )}
      {agent.metadata !== null && (
        <CodeBlock code={JSON.stringify(agent.metadata, null, 2)} what="metadata" />
      )}
    </Stack>
  );
}
