import { Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import {
  hasMaskedValues,
  indentedConfig,
  isNotShown,
} from '@agent-control-plane/client/internal/masked-config';
import { useRevealedConfig } from '../../api/agent-configs.js';
import { CodeBlock } from '../../components/code-block.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { GuardedButton } from '../../components/guarded-button.js';
import { Pending } from '../../components/pending.js';
import { useRefusals } from '../../components/required-role.js';
import { ConfigEditor } from './config-editor.js';
import { ConfigVersions } from './config-versions.js';
import { TraceSettings } from './trace-settings.js';

/**
 * The agent's config, its editor and its versions. The service masks the secrets in its `env` until a person asks for them,
 * which it records.
 */
export function AgentConfiguration({ agent }: { readonly agent: AgentDetail }) {
  const [reveals, setReveals] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const refusalFor = useRefusals();
  const refusal = refusalFor(agent.project_id, 'agents');
  if (isEdited) return <ConfigEditor agent={agent} onClose={() => setEdited(false)} />;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          Version {agent.config_version}. A deployment keeps the version that it was made with.
        </Text>
        <Group gap="xs">
          {(hasMaskedValues(agent.config) || isNotShown(agent.config)) && (
            <GuardedButton
              variant="default"
              refusal={refusalFor(agent.project_id, 'agents', { isForOperators: true })}
              onClick={() => setReveals(!reveals)}
            >
              {reveals ? 'Hide secrets' : 'Reveal secrets'}
            </GuardedButton>
          )}
          <GuardedButton variant="default" refusal={refusal} onClick={() => setEdited(true)}>
            Edit
          </GuardedButton>
        </Group>
      </Group>
      {reveals ? <RevealedConfig agent={agent} /> : <ShownConfig config={agent.config} />}
      <ConfigVersions agent={agent} reveals={reveals} />
      <TraceSettings agent={agent} />
      <Reported title="Reported capabilities" value={agent.capabilities} what="capabilities" />
      <Reported title="Reported metadata" value={agent.metadata} what="metadata" />
    </Stack>
  );
}

/** The config with its secrets. They are read when this is mounted, and forgotten when it is gone. */
function RevealedConfig({ agent }: { readonly agent: AgentDetail }) {
  const { data, error } = useRevealedConfig(agent);
  if (error) return <ErrorNotice title="The secrets were not shown" error={error} />;
  return data === undefined ? <Pending rows={2} /> : <ShownConfig config={data} />;
}

function ShownConfig({ config }: { readonly config: string }) {
  return <CodeBlock code={indentedConfig(config).trimEnd()} what="configuration" />;
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
