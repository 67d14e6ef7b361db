import { Button, Text } from '@mantine/core';
import { IconPlayerPause, IconRobot, IconSearch } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import type { Agent } from '@agent-control-plane/client';
import { pauseAgent, resumeAgent } from '../../api/pauses.js';
import { deployAgain, stopAgent } from '../../api/agent-acts.js';
import { HEARTBEAT_REFRESH_MS, useAgents } from '../../api/agents.js';
import type { LoadedList } from '../../api/lists.js';
import type { BulkAction } from '../../components/bulk-dialog.js';
import { Connection } from '../../components/connection.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { NewAgentButton } from '../../components/new-agent-button.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useProjectColumn } from '../../components/project-name.js';
import { useSelection } from '../../components/selection.js';
import { SelectionBar } from '../../components/selection-bar.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TextWithTimes } from '../../components/text-with-times.js';
import { TimeAgo } from '../../components/time-ago.js';
import { AgentFilters, useAgentFilter } from './agent-filters.js';
import { AgentGroups } from './agent-groups.js';
import { groupingIn } from './grouping.js';

/** Healths whose reason is shown in the list. */
const TROUBLES: readonly string[] = ['failing', 'degraded', 'offline'];

/** A long text in one line; its title is the whole text. */
function OneLine({ text, width }: { readonly text: string; readonly width: string }) {
  return (
    <Text size="sm" maw={width} truncate title={text}>
      {text}
    </Text>
  );
}

const COLUMNS: readonly Column<Agent>[] = [
  { key: 'name', header: 'Name', cell: ({ name }) => name, isName: true },
  {
    key: 'health',
    header: 'Health',
    width: '15rem',
    cell: ({ health }) => (
      <span title={health.reason}>
        <StatusBadge status={health.state} />
        {TROUBLES.includes(health.state) && (
          <Text size="xs" c="dimmed" lineClamp={3} mt={2}>
            <TextWithTimes text={health.reason} />
          </Text>
        )}
      </span>
    ),
  },
  {
    key: 'connection',
    header: 'Connection',
    width: '9rem',
    cell: (agent) => <Connection agent={agent} />,
  },
  {
    key: 'type',
    header: 'Type',
    width: '7rem',
    isDetail: true,
    cell: ({ type }) => <OneLine text={type} width="5.5rem" />,
  },
  {
    key: 'host',
    header: 'Host',
    width: '8rem',
    isDetail: true,
    cell: ({ hostname }) => hostname && <OneLine text={hostname} width="7rem" />,
  },
  {
    key: 'created',
    header: 'Created',
    width: '7rem',
    isDetail: true,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
];

const ACTIONS: readonly BulkAction[] = [
  {
    label: 'Deploy',
    description: 'Each gets a new deployment of its newest configuration, which replaces what is active.',
    scope: 'deploy',
    run: deployAgain,
  },
  {
    label: 'Stop',
    description: 'All active deployments of each are stopped.',
    scope: 'deploy',
    isForOperators: true,
    run: stopAgent,
  },
  {
    label: 'Pause',
    description: 'Each stops running until it is resumed. Its deployments and replicas are remembered.',
    scope: 'deploy',
    isForOperators: true,
    run: (id) => pauseAgent(id),
  },
  {
    label: 'Resume',
    description: 'The deployments of each run again.',
    scope: 'deploy',
    run: resumeAgent,
  },
];

export function AgentsPage() {
  const filter = useAgentFilter();
  const [search] = useSearchParams();
  const by = groupingIn(search);
  const isFiltered = by !== null || Object.keys(filter).some((name) => name !== 'sort');
  const agents = useAgents(filter, { refetchInterval: HEARTBEAT_REFRESH_MS, enabled: by === null });
  const isNone = !isFiltered && !agents.isPending && !agents.error && agents.rows.length === 0;
  const selection = useSelection(agents.rows, ({ name }) => name);
  return (
    <>
      <PageHeader title="Agents" actions={(agents.rows.length > 0 || isFiltered) && <Actions />} />
      {!isNone && <AgentFilters filter={filter} />}
      {by !== null && <AgentGroups by={by} filter={filter} />}
      <SelectionBar noun="agent" selection={selection} actions={ACTIONS} />
      {by === null && <Content agents={agents} isFiltered={isFiltered} checkboxes={selection.column} />}
    </>
  );
}

function Actions() {
  return (
    <>
      <Button
        component={Link}
        to="/pauses"
        variant="default"
        leftSection={<IconPlayerPause size={16} aria-hidden />}
      >
        Pauses
      </Button>
      <NewAgentButton />
    </>
  );
}

interface ContentProps {
  readonly agents: LoadedList<Agent>;
  readonly isFiltered: boolean;
  readonly checkboxes: Column<Agent>;
}

function Content({ agents, isFiltered, checkboxes }: ContentProps) {
  const project = useProjectColumn<Agent>();
  if (agents.error) return <ErrorNotice error={agents.error} onRetry={agents.refetch} />;
  if (agents.isPending) return <Pending rows={6} />;
  if (agents.rows.length === 0 && isFiltered) {
    return (
      <EmptyState icon={IconSearch} title="No agent matches">
        Try another name or filter.
      </EmptyState>
    );
  }
  if (agents.rows.length === 0) {
    return (
      <EmptyState icon={IconRobot} title="No agents yet" action={<NewAgentButton />}>
        An agent is a program of yours that the service knows: give it a name and what it runs, and start it
        anywhere.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Agents"
        columns={[checkboxes, ...COLUMNS.slice(0, 3), ...project, ...COLUMNS.slice(3)]}
        rows={agents.rows}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/agents/${id}`}
        onEndReached={agents.hasMore && !agents.isLoadingMore ? agents.loadMore : undefined}
      />
      <LoadMore list={agents} />
    </>
  );
}
