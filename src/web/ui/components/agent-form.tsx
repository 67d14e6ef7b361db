import { Button, Group, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { CreatedAgent } from '@agent-control-plane/client';
import { useCreateAgent } from '../api/agent-acts.js';
import { fieldErrors } from '../api/field-errors.js';
import { useSubmissionKey } from '../api/submission-key.js';
import { CONFIG_TEMPLATES, configText } from './config-templates.js';
import { ErrorNotice } from './error-notice.js';
import { JsonEditor } from './json-editor.js';
import { findJsonFault } from './json-fault.js';
import { useProjectOfNew } from './project-select.js';

const FIELDS = ['name', 'description', 'type', 'config'];

export interface AgentFormProps {
  readonly onCreated: (agent: CreatedAgent) => void;
  /** The template that is selected first. */
  readonly template?: string;
}

interface Choice {
  readonly template: string;
  readonly config: string;
}

/** Form to record an agent. Input stays when the service refuses it. */
export function AgentForm({ onCreated, template: first = 'trial' }: AgentFormProps) {
  const [template, setTemplate] = useState(first);
  const [name, setName] = useState('');
  const [type, setType] = useState('');
  const [description, setDescription] = useState('');
  const [config, setConfig] = useState(textOf(first));
  const [replaced, setReplaced] = useState<Choice | null>(null);
  const [keyFor, settle] = useSubmissionKey();
  const { projectId, field: project } = useProjectOfNew('agents');
  const create = useCreateAgent();
  const { fields, rest } = fieldErrors(create.error, FIELDS);
  /** Selects a template; a handwritten config is kept for switching back. */
  const choose = (next: Choice) => {
    setReplaced(config === textOf(template) ? null : { template, config });
    setTemplate(next.template);
    setConfig(next.config);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const agent = {
      config,
      ...(projectId !== undefined && { project_id: projectId }),
      ...(name.trim() && { name: name.trim() }),
      ...(type.trim() && { type: type.trim() }),
      ...(description.trim() && { description: description.trim() }),
    };
    create.mutate(
      { agent, key: keyFor(agent) },
      {
        onSuccess: (created) => {
          settle();
          onCreated(created);
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && rest.length > 0 && (
          <ErrorNotice title="The agent was not created" error={create.error} />
        )}
        {project}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            description="Leave empty for a generated name"
            placeholder="invoice-reader"
            maxLength={200}
            value={name}
            error={fields.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Type"
            description="Your own category, such as worker"
            placeholder="custom"
            maxLength={64}
            value={type}
            error={fields.type}
            onChange={(event) => setType(event.currentTarget.value)}
          />
        </SimpleGrid>
        <Textarea
          label="Description"
          description="Optional"
          autosize
          minRows={1}
          maxRows={6}
          maxLength={2000}
          value={description}
          error={fields.description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <div>
          <Select
            label="What it runs"
            description="Replaces the configuration below"
            data={CONFIG_TEMPLATES.map(({ value, label }) => ({ value, label }))}
            allowDeselect={false}
            value={template}
            onChange={(value) => choose({ template: value ?? first, config: textOf(value ?? first) })}
          />
          <div role="status">
            {replaced && (
              <Group gap="xs" mt="xs">
                <Text size="sm">Your configuration was replaced.</Text>
                <Button size="compact-sm" variant="default" onClick={() => choose(replaced)}>
                  Undo
                </Button>
              </Group>
            )}
          </div>
        </div>
        <JsonEditor
          label="Configuration"
          description="JSON. svc run starts its command once for each replica, with env in its environment."
          value={config}
          error={fields.config}
          onChange={setConfig}
        />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={findJsonFault(config) !== null}>
            Create agent
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const textOf = (template: string): string =>
  configText(CONFIG_TEMPLATES.find(({ value }) => value === template)?.config ?? {});
