import { indentedConfig } from '@agent-control-plane/client/internal/masked-config';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { AgentDetail } from '@agent-control-plane/client';
import { useUpdateAgent } from '../../api/agent-acts.js';
import { showDone } from '../../components/announce.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { JsonEditor } from '../../components/json-editor.js';
import { findJsonFault } from '../../components/json-fault.js';
import { ConfigDiff } from './config-diff.js';

export interface ConfigEditorProps {
  readonly agent: AgentDetail;
  readonly onClose: () => void;
}

/** Edits the config, and shows the changes before they are saved as the next version. */
export function ConfigEditor({ agent, onClose }: ConfigEditorProps) {
  // a config that was sent as an object is kept on one line
  const [before] = useState(() => indentedConfig(agent.config).trimEnd());
  // the agent is read again while it is edited
  const [version] = useState(agent.config_version);
  const [config, setConfig] = useState(before);
  const [isReviewed, setReviewed] = useState(false);
  const update = useUpdateAgent(agent.id);
  const save = () =>
    update.mutate(
      { change: { config }, ifConfigVersion: version },
      {
        onSuccess: ({ config_version }) => {
          showDone(`Saved as configuration version ${config_version}`);
          onClose();
        },
        onError: () => setReviewed(false),
      },
    );
  return (
    <Stack gap="sm">
      {update.error && <ErrorNotice title="The configuration was not saved" error={update.error} />}
      {isReviewed ? (
        <>
          <Text size="sm">
            Saved as version {version + 1}. Deployments keep theirs until the agent is deployed again.
          </Text>
          <ConfigDiff before={agent.config} after={config} isAsShown={false} label="What changes" />
        </>
      ) : (
        <JsonEditor
          label="Configuration"
          description={
            'In env, {"secret": true} keeps the stored value, and {"secret": "..."} gives one that is never shown again.'
          }
          value={config}
          onChange={setConfig}
          minRows={12}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={isReviewed ? () => setReviewed(false) : onClose}>
          {isReviewed ? 'Back' : 'Cancel'}
        </Button>
        {isReviewed ? (
          <Button loading={update.isPending} onClick={save}>
            Save version
          </Button>
        ) : (
          <Button
            disabled={findJsonFault(config) !== null || config === before}
            onClick={() => setReviewed(true)}
          >
            Review changes
          </Button>
        )}
      </Group>
    </Stack>
  );
}
