import { Button, Group, Modal, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Scope } from '@agent-control-plane/client';
import { type NewApiKey, useCreateApiKey } from '../../api/api-keys.js';
import { fieldErrors } from '../../api/field-errors.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { AgentSelect } from '../../components/agent-select.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { NewSecret } from '../../components/new-secret.js';
import { ScopePicker } from './scope-picker.js';

const FIELDS = ['name', 'agent_id', 'scopes', 'expires_in_days'];

const LIFETIMES = [
  { value: '', label: 'Until it is revoked' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'other', label: 'Another number of days' },
];

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ isOpen, onClose }: DialogProps) {
  const create = useCreateApiKey();
  const close = () => {
    onClose();
    // the key must not stay in memory
    create.reset();
  };
  const made = create.data;
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      size="lg"
      title={made ? `${made.name} is created` : 'Create an API key'}
      // a click outside must not close the dialog: the key can't be shown again
      closeOnClickOutside={!made}
      closeOnEscape={!made}
    >
      {made ? (
        <NewSecret secret={made.key} what={made.agent_id === null ? 'API key' : 'agent key'} onDone={close}>
          {made.agent_id === null
            ? 'Programs send it as a bearer token.'
            : 'Its runtime takes it as SERVICE_AGENT_KEY.'}
        </NewSecret>
      ) : (
        <KeyForm create={create} onCancel={close} />
      )}
    </Modal>
  );
}

interface KeyFormProps {
  readonly create: ReturnType<typeof useCreateApiKey>;
  readonly onCancel: () => void;
}

function KeyForm({ create, onCancel }: KeyFormProps) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState('user');
  const [agentId, setAgentId] = useState<string | null>(null);
  const [scopes, setScopes] = useState<Scope[]>(['read']);
  const [chosenLifetime, setLifetime] = useState<string>();
  const [days, setDays] = useState<number | string>(14);
  const [keyFor, settle] = useSubmissionKey();
  // an agent's runtime has nobody who would renew its key
  const lifetime = chosenLifetime ?? (kind === 'agent' ? '' : '365');
  const { fields, rest } = fieldErrors(create.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expiry = lifetime === 'other' ? Number(days) : Number(lifetime);
    const wanted: NewApiKey = {
      name: name.trim(),
      ...(kind === 'agent' ? agentId !== null && { agent_id: agentId } : { scopes }),
      ...(expiry > 0 && { expires_in_days: expiry }),
    };
    create.mutate({ wanted, key: keyFor(wanted) }, { onSuccess: settle });
  };
  const isComplete = name.trim() !== '' && (kind === 'user' ? scopes.length > 0 : agentId !== null);
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && rest.length > 0 && (
          <ErrorNotice title="The key was not created" error={create.error} />
        )}
        <TextInput
          label="Name"
          description="What it is for"
          placeholder="nightly-report"
          maxLength={200}
          data-autofocus
          value={name}
          error={fields.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Radio.Group label="Owner" value={kind} onChange={setKind}>
          <Stack gap={8} mt={6}>
            <Radio
              value="user"
              label="You"
              description="What you choose below, but never your account, your keys or other users"
            />
            <Radio
              value="agent"
              label="An agent"
              description="What the agent’s runtime does, and nothing else"
            />
          </Stack>
        </Radio.Group>
        {kind === 'user' && <ScopePicker value={scopes} onChange={setScopes} error={fields.scopes} />}
        {kind === 'agent' && (
          <AgentSelect label="Agent" value={agentId} error={fields.agent_id} onChange={setAgentId} />
        )}
        <Group align="flex-start" grow>
          <Select
            label="Lifetime"
            data={LIFETIMES}
            allowDeselect={false}
            value={lifetime}
            error={lifetime === 'other' ? undefined : fields.expires_in_days}
            onChange={(value) => setLifetime(value ?? '')}
          />
          {lifetime === 'other' && (
            <NumberInput
              label="Days"
              min={1}
              max={365}
              allowDecimal={false}
              value={days}
              error={fields.expires_in_days}
              onChange={setDays}
            />
          )}
        </Group>
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!isComplete}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
