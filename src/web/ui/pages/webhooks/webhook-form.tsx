import { Button, Checkbox, Group, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fieldErrors } from '../../api/field-errors.js';
import type { WebhookSettings } from '../../api/webhooks.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { EventPicker } from './event-picker.js';

const FIELDS = ['url', 'events', 'format', 'description'];

const FORMATS: readonly { value: WebhookSettings['format']; label: string }[] = [
  { value: 'standard', label: 'For programs: signed JSON' },
  { value: 'slack', label: 'For a chat channel: Slack, Mattermost, Rocket.Chat' },
  { value: 'text', label: 'Plain text' },
];

export interface WebhookFormProps {
  readonly initial: WebhookSettings;
  readonly submitLabel: string;
  readonly isBusy: boolean;
  /** The service's refusal; the input stays. */
  readonly error: Error | null;
  /** The choice of its project. */
  readonly project?: ReactNode;
  readonly onSubmit: (settings: WebhookSettings) => void;
  readonly onCancel: () => void;
}

export function WebhookForm(props: WebhookFormProps) {
  const { initial, submitLabel, isBusy, error, project, onSubmit, onCancel } = props;
  const [url, setUrl] = useState(initial.url);
  const [description, setDescription] = useState(initial.description ?? '');
  const [format, setFormat] = useState(initial.format);
  const [events, setEvents] = useState(initial.events);
  const [includes, setIncludes] = useState(initial.include_payloads);
  const { fields, rest } = fieldErrors(error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({
      url: url.trim(),
      events,
      format,
      description: description.trim() || null,
      include_payloads: format === 'standard' && includes,
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && rest.length > 0 && <ErrorNotice error={error} />}
        <TextInput
          label="Address"
          description="Where messages are sent"
          placeholder="https://example.com/hooks/agents"
          type="url"
          inputMode="url"
          maxLength={2048}
          data-autofocus
          required
          value={url}
          error={fields.url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <TextInput
          label="Description"
          description="Optional"
          placeholder="On-call channel"
          maxLength={2000}
          value={description}
          error={fields.description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        {project}
        <Select
          label="Format"
          description="Each message names the agent and links to its page"
          data={FORMATS}
          allowDeselect={false}
          value={format}
          error={fields.format}
          onChange={(value) => setFormat(value as WebhookSettings['format'])}
        />
        <EventPicker
          value={events}
          onChange={setEvents}
          error={fields.events ?? (events.length === 0 && 'Choose at least one')}
        />
        {format === 'standard' && (
          <Checkbox
            label="Include input and output of runs"
            description="Up to 256 KiB each. They can contain anything that people and agents wrote."
            checked={includes}
            onChange={(event) => setIncludes(event.currentTarget.checked)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isBusy} disabled={url.trim() === '' || events.length === 0}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
