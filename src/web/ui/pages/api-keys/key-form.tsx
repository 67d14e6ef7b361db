import { Button, Checkbox, Group, NumberInput, Radio, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Scope } from '@agent-control-plane/client';
import { useAgent } from '../../api/agents.js';
import type { NewApiKey, useCreateApiKey } from '../../api/api-keys.js';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { fieldErrors } from '../../api/field-errors.js';
import { type Role, useHasSharedProjects, useProject } from '../../api/projects.js';
import { useSubmissionKey } from '../../api/submission-key.js';
import { useUser } from '../../app/require-session.js';
import { AgentSelect } from '../../components/agent-select.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { useProjectOfNew } from '../../components/project-select.js';
import { rolesUpTo, useRefusals } from '../../components/required-role.js';
import { RoleSelect } from '../../components/role-select.js';
import { ScopePicker } from './scope-picker.js';

const FIELDS = ['name', 'agent_id', 'role', 'scopes', 'expires_in_days'];

const LIFETIMES = [
  { value: '', label: 'Until it is revoked' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'other', label: 'Another number of days' },
];

type Kind = 'user' | 'project' | 'agent';

interface KeyFormProps {
  readonly create: ReturnType<typeof useCreateApiKey>;
  readonly onCancel: () => void;
}

/** Form of a new key: of the user, of a project, or of an agent. */
export function KeyForm({ create, onCancel }: KeyFormProps) {
  const [name, setName] = useState('');
  const hasProjects = useHasSharedProjects();
  const isInShared = useProject(useChosenProjectId())?.is_personal === false;
  const [kind, setKind] = useState<Kind>(isInShared ? 'project' : 'user');
  const { projectId, field: project } = useProjectOfNew('keys');
  const roles = rolesUpTo(useProject(projectId)?.role ?? 'viewer');
  const [chosenRole, setRole] = useState<Role>('deployer');
  const role = roles.includes(chosenRole) ? chosenRole : roles.at(-1)!;
  const [agentId, setAgentId] = useState<string | null>(null);
  const agent = useAgent(agentId ?? '').data;
  const agentRefusal = useRefusals()(agent?.project_id, 'keys');
  const [scopes, setScopes] = useState<Scope[]>(['read']);
  const isOperator = useUser().is_admin;
  const [everybody, setEverybody] = useState(false);
  const [chosenLifetime, setLifetime] = useState<string>();
  const [days, setDays] = useState<number | string>(14);
  const [keyFor, settle] = useSubmissionKey();
  // an agent's runtime has nobody who would renew its key
  const lifetime = chosenLifetime ?? (kind === 'agent' ? '' : '365');
  const { fields, rest } = fieldErrors(create.error, FIELDS);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expiry = lifetime === 'other' ? Number(days) : Number(lifetime);
    const holders: Readonly<Record<Kind, Partial<NewApiKey>>> = {
      user: { scopes, ...(everybody && { everybody }) },
      project: { ...(projectId !== undefined && { project_id: projectId }), role },
      agent: { ...(agentId !== null && { agent_id: agentId }) },
    };
    const wanted: NewApiKey = {
      name: name.trim(),
      ...holders[kind],
      ...(expiry > 0 && { expires_in_days: expiry }),
    };
    create.mutate({ wanted, key: keyFor(wanted) }, { onSuccess: settle });
  };
  const isHolderComplete: Readonly<Record<Kind, boolean>> = {
    user: scopes.length > 0,
    project: projectId !== undefined,
    agent: agentId !== null && agentRefusal === null,
  };
  const isComplete = name.trim() !== '' && isHolderComplete[kind];
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
        <Radio.Group label="Owner" value={kind} onChange={(value) => setKind(value)}>
          <Stack gap={8} mt={6}>
            <Radio
              value="user"
              label="You"
              description="What you choose below, but never your account, your keys or other users"
            />
            {hasProjects && (
              <Radio
                value="project"
                label="A project"
                description="What its role allows, in that project only. It keeps working after you leave."
              />
            )}
            <Radio
              value="agent"
              label="An agent"
              description="What the agent’s runtime does, and nothing else"
            />
          </Stack>
        </Radio.Group>
        {kind === 'user' && <ScopePicker value={scopes} onChange={setScopes} error={fields.scopes} />}
        {kind === 'user' && isOperator && (
          <Checkbox
            label="Access what belongs to others"
            description="With your rights as an operator, within its scopes. Metrics and leads need it."
            checked={everybody}
            onChange={(event) => setEverybody(event.currentTarget.checked)}
          />
        )}
        {kind === 'agent' && (
          <AgentSelect
            label="Agent"
            value={agentId}
            error={agentRefusal ?? fields.agent_id}
            onChange={setAgentId}
          />
        )}
        {kind === 'project' && (
          <>
            {project}
            <RoleSelect label="Role" roles={roles} value={role} error={fields.role} onChange={setRole} />
          </>
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
