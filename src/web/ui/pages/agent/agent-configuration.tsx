import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { indentedConfig, maskedConfig } from '@agent-control-plane/client/internal/masked-config';
import { CodeBlock } from '../../components/code-block.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { useRefusals } from '../../components/required-role.js';
import { ConfigEditor } from './config-editor.js';
import { ConfigVersions } from './config-versions.js';

/**
 * The agent's config, its editor and its versions. Values of `env` may be secrets: they are hidden until a person asks
 * for them.
 */
export function AgentConfiguration({ agent }: { readonly agent: AgentDetail }) {
  const [showsSecrets, setShowsSecrets] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const refusal = useRefusals()(agent.project_id, 'agents');
  const masked = maskedConfig(agent.config);
  if (isEdited) return <ConfigEditor agent={agent} onClose={() => setEdited(false)} />;
  return (
    <Stack gap="sm">
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
          <GuardedButton variant="default" refusal={refusal} onClick={() => setEdited(true)}>
            Edit
          </GuardedButton>
        </Group>
      </Group>
      <CodeBlock code={indentedConfig(showsSecrets ? agent.config : masked).trimEnd()} what="configuration" />
      <ConfigVersions agent={agent} showsSecrets={showsSecrets} />
      <Reported title="Reported capabilities" value={agent.capabilities} what="capabilities" />
      <Reported title="Reported metadata" value={agent.metadata} what="metadata" />
    </Stack>
  );
}

interface ReportedProps {
  readonly title: string;
  /** JSON; null: the agent has not reported it. */
  readonly value: unknown;
  readonly what: string;
}

/** A part of the agent's report on itself. */
function Reported({ title, value, what }: ReportedProps) {
  if (value === null) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4" mt="sm">
        {title}
      </Title>
      <CodeBlock code={JSON.stringify(value, null, 2)} what={what} />
    </Stack>
  );
}
