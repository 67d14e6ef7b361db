import { Button } from '@mantine/core';
import { IconPlayerPause, IconRobot, IconSearch } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import type { Agent } from '@agent-control-plane/client';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { HEARTBEAT_REFRESH_MS, useAgents } from '../../api/agents.js';
import type { LoadedList } from '../../api/lists.js';
import { AGENT_VERBS } from '../../components/agent-verbs.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { NewAgentButton } from '../../components/new-agent-button.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useSelection } from '../../components/selection.js';
import { SelectionBar } from '../../components/selection-bar.js';
import { reasonOfTrouble, useAgentColumns } from './agent-columns.js';
import { AgentFilters, useAgentFilter } from './agent-filters.js';
import { AgentGroups } from './agent-groups.js';
import { groupingIn } from './grouping.js';

export function AgentsPage() {
  const filter = useAgentFilter();
  const [search] = useSearchParams();
  const by = groupingIn(search);
  const isFiltered = by !== null || Object.keys(filter).some((name) => name !== 'sort');
  const agents = useAgents(filter, { refetchInterval: HEARTBEAT_REFRESH_MS, enabled: by === null });
  const isNone = !isFiltered && !agents.isPending && !agents.error && agents.rows.length === 0;
  // in the order of creation, which no change of an agent's health disturbs from page to page
  const matching = {
    path: '/api/dashboard/agents',
    filter: { ...filter, sort: '-created', project_id: useChosenProjectId() },
  };
  const selection = useSelection(agents.rows, ({ name }) => name, agents.hasMore ? matching : null);
  return (
    <>
      <PageHeader title="Agents" actions={(agents.rows.length > 0 || isFiltered) && <Actions />} />
      {!isNone && <AgentFilters filter={filter} />}
      {by !== null && <AgentGroups by={by} filter={filter} />}
      <SelectionBar noun="agent" selection={selection} actions={AGENT_VERBS} />
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
  const columns = useAgentColumns(useSearchParams()[0]);
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
        An agent is a program of yours. Give it a name and a command, and start it anywhere.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Agents"
        isOneLine
        columns={[checkboxes, ...columns]}
        rows={agents.rows}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/agents/${id}`}
        rowNote={columns.some(({ key }) => key === 'health') ? reasonOfTrouble : undefined}
        onEndReached={agents.hasMore && !agents.isLoadingMore ? agents.loadMore : undefined}
      />
      <LoadMore list={agents} />
    </>
  );
}
