import { Button, CloseButton, Group, Select, Text, TextInput } from '@mantine/core';
import { IconPlus, IconRobot, IconSearch } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import type { Agent } from '@agent-control-plane/client';
import { type Connected, HEARTBEAT_REFRESH_MS, type HealthState, useAgents } from '../../api/agents.js';
import type { LoadedList } from '../../api/lists.js';
import { Connection } from '../../components/connection.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';

const HEALTH_STATES: readonly HealthState[] = [
  'failing',
  'degraded',
  'offline',
  'progressing',
  'healthy',
  'idle',
];
const CONNECTIONS: readonly { value: Connected; label: string }[] = [
  { value: 'never_connected', label: 'never connected' },
  { value: 'online', label: 'online' },
  { value: 'offline', label: 'offline' },
];

const COLUMNS: readonly Column<Agent>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, isName: true },
  {
    key: 'health',
    header: 'Health',
    cell: ({ health }) => (
      <span title={health.reason}>
        <StatusBadge status={health.state} />
      </span>
    ),
  },
  { key: 'connection', header: 'Connection', cell: (agent) => <Connection agent={agent} /> },
  { key: 'type', header: 'Type', cell: ({ type }) => type },
  {
    key: 'host',
    header: 'Host',
    cell: ({ hostname }) => hostname && <span className="nowrap">{hostname}</span>,
  },
  { key: 'version', header: 'Version', cell: ({ version }) => version },
  { key: 'created', header: 'Created', cell: ({ created_at }) => <TimeAgo at={created_at} /> },
];

const NewAgent = () => (
  <Button component={Link} to="/agents/new" leftSection={<IconPlus size={16} aria-hidden />}>
    New agent
  </Button>
);

export function AgentsPage() {
  const [search, setSearch] = useSearchParams();
  const health = HEALTH_STATES.find((it) => it === search.get('health'));
  const connection = CONNECTIONS.find(({ value }) => value === search.get('connection'))?.value;
  const isFiltered = health !== undefined || connection !== undefined;
  const text = search.get('q') ?? '';
  const agents = useAgents({ health, connection }, { refetchInterval: HEARTBEAT_REFRESH_MS });
  const set = (name: string, value: string | null) =>
    setSearch(
      (now) => {
        if (value) now.set(name, value);
        else now.delete(name);
        return now;
      },
      { replace: true },
    );
  return (
    <>
      <PageHeader title="Agents" actions={(agents.rows.length > 0 || isFiltered) && <NewAgent />} />
      <Group gap="sm" mb="md">
        <TextInput
          flex="1 1 12rem"
          maw={320}
          aria-label="Search by name"
          placeholder="Search by name"
          leftSection={<IconSearch size={16} aria-hidden />}
          rightSection={
            text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set('q', null)} />
          }
          value={text}
          onChange={(event) => set('q', event.currentTarget.value)}
        />
        <Select
          w={160}
          aria-label="Health"
          placeholder="Any health"
          clearable
          data={[...HEALTH_STATES]}
          value={health ?? null}
          onChange={(value) => set('health', value)}
        />
        <Select
          w={170}
          aria-label="Connection"
          placeholder="Any connection"
          clearable
          data={[...CONNECTIONS]}
          value={connection ?? null}
          onChange={(value) => set('connection', value)}
        />
      </Group>
      <Content agents={agents} text={text} isFiltered={isFiltered} />
    </>
  );
}

interface ContentProps {
  readonly agents: LoadedList<Agent>;
  readonly text: string;
  readonly isFiltered: boolean;
}

function Content({ agents, text, isFiltered }: ContentProps) {
  if (agents.error) return <ErrorNotice error={agents.error} onRetry={agents.refetch} />;
  if (agents.isPending) return <Pending rows={6} />;
  if (agents.rows.length === 0 && !isFiltered) {
    return (
      <EmptyState icon={IconRobot} title="No agents yet" action={<NewAgent />}>
        An agent is a program of yours that the service knows: give it a name and what it runs, and start it
        anywhere.
      </EmptyState>
    );
  }
  const wanted = text.trim().toLowerCase();
  const rows = agents.rows.filter(({ name, id }) => name.toLowerCase().includes(wanted) || id === wanted);
  return (
    <>
      {rows.length === 0 ? (
        <EmptyState icon={IconSearch} title="No agent matches">
          {agents.hasMore ? 'Not all of them are loaded: show more below.' : 'Try another name or filter.'}
        </EmptyState>
      ) : (
        <DataTable
          label="Agents"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          rowLink={({ id }) => `/agents/${id}`}
        />
      )}
      {wanted !== '' && agents.hasMore && (
        <Text size="sm" c="dimmed" mt="sm" ta="center">
          Searched in the {agents.rows.length} agents that are loaded.
        </Text>
      )}
      <LoadMore list={agents} />
    </>
  );
}
