import { ActionIcon, Anchor, Menu, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { IconDots, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { ApiKey } from '@agent-control-plane/client';
import { useAgentName } from '../../api/agent-names.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { ProjectName, useProjectColumn } from '../../components/project-name.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { RevokeKeyDialog } from './revoke-key-dialog.js';
import { RotateKeyDialog } from './rotate-key-dialog.js';

/** State of a key: an inactive one has expired or was revoked. */
function stateOf({ is_active, expires_at }: ApiKey): 'active' | 'expired' | 'revoked' {
  if (is_active) return 'active';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'revoked';
}

/** The agent of a key. Its name is read when the row becomes visible: each key may belong to another agent. */
function AgentLink({ id }: { readonly id: string }) {
  const { ref, inViewport } = useInViewport<HTMLAnchorElement>();
  return (
    <Anchor component={Link} to={`/agents/${id}`} inherit ref={ref}>
      {useAgentName(id, inViewport)}
    </Anchor>
  );
}

/** The holder of a key: an agent, a project, or the user. */
function Owner({ apiKey }: { readonly apiKey: ApiKey }) {
  if (apiKey.agent_id !== null) return <AgentLink id={apiKey.agent_id} />;
  if (apiKey.everybody) {
    return (
      <>
        you
        <Text size="xs" c="dimmed">
          reaches everybody
        </Text>
      </>
    );
  }
  if (apiKey.role === null) return 'you';
  return (
    <>
      <ProjectName id={apiKey.project_id} />
      <Text size="xs" c="dimmed">
        project key, {apiKey.role}
      </Text>
    </>
  );
}

function scopesOf({ scopes }: ApiKey): string {
  return scopes.includes('*') ? 'everything' : scopes.join(', ');
}

type Asked = { readonly what: 'rotate' | 'revoke'; readonly key: ApiKey };

/** The key's name and prefix. */
function Name({ apiKey }: { readonly apiKey: ApiKey }) {
  return (
    <>
      {apiKey.name}
      <Text size="xs" c="dimmed" ff="monospace" fw={400}>
        {apiKey.key_prefix}…
      </Text>
    </>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { key: 'name', header: 'Name', isName: true, width: '16rem', cell: (key) => <Name apiKey={key} /> },
  {
    key: 'of',
    header: 'Owner',
    width: '11rem',
    cell: (key) => <Owner apiKey={key} />,
  },
  { key: 'scopes', header: 'Scopes', cell: (key) => (key.scopes.length > 0 ? scopesOf(key) : null) },
  { key: 'state', header: 'State', cell: (key) => <StatusBadge status={stateOf(key)} /> },
  { key: 'used', header: 'Last used', cell: (key) => <TimeAgo at={key.last_used_at} /> },
  { key: 'expires', header: 'Expires', cell: (key) => <TimeAgo at={key.expires_at} /> },
  { key: 'created', header: 'Created', cell: (key) => <TimeAgo at={key.created_at} /> },
];

export function ApiKeysTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const project = useProjectColumn<ApiKey>();
  const columns: readonly Column<ApiKey>[] = [
    ...COLUMNS.slice(0, 2),
    ...project,
    ...COLUMNS.slice(2),
    {
      key: 'actions',
      header: 'Actions',
      align: 'right',
      cell: (key) =>
        key.is_active ? <KeyMenu apiKey={key} onAsk={(what) => setAsked({ what, key })} /> : null,
    },
  ];
  const close = () => setAsked(null);
  return (
    <>
      <DataTable label="API keys" columns={columns} rows={keys} rowKey={(key) => key.id} />
      {asked?.what === 'rotate' && <RotateKeyDialog apiKey={asked.key} onClose={close} />}
      {asked?.what === 'revoke' && <RevokeKeyDialog apiKey={asked.key} onClose={close} />}
    </>
  );
}

interface KeyMenuProps {
  readonly apiKey: ApiKey;
  readonly onAsk: (what: Asked['what']) => void;
}

function KeyMenu({ apiKey, onAsk }: KeyMenuProps) {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${apiKey.name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} aria-hidden />} onClick={() => onAsk('rotate')}>
          Rotate
        </Menu.Item>
        <Menu.Item
          color="var(--bad)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onAsk('revoke')}
        >
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
