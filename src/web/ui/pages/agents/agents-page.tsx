import { Button, CloseButton, Group, Select, Text, TextInput } from '@mantine/core';
import { IconPlus, IconRobot, IconSearch } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import type { Agent } from '@agent-control-plane/client';
import { type AgentStatus, HEARTBEAT_REFRESH_MS, useAgents } from '../../api/agents.js';
import type { LoadedList } from '../../api/lists.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Heartbeat } from '../../components/heartbeat.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';

const STATUSES: readonly AgentStatus[] = ['creating', 'running', 'stopped', 'failed'];

const COLUMNS: readonly Column<Agent>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, isName: true },
  { key: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    key: 'heartbeat',
    header: 'Last heard of',
    cell: ({ last_heartbeat }) => <Heartbeat at={last_heartbeat} />,
  },
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
  const status = STATUSES.find((it) => it === search.get('status'));
  const text = search.get('q') ?? '';
  const agents = useAgents(status, { refetchInterval: HEARTBEAT_REFRESH_MS });
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
      <PageHeader title="Agents" actions={(agents.rows.length > 0 || status !== undefined) && <NewAgent />} />
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
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={[...STATUSES]}
          value={status ?? null}
          onChange={(value) => set('status', value)}
        />
      </Group>
      <Content agents={agents} text={text} isFiltered={status !== undefined} />
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
          {agents.hasMore ? 'Not all of them are loaded: show more below.' : 'Try another name or status.'}
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
