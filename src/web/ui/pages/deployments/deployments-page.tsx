import { Button, Group, Select } from '@mantine/core';
import { IconRocket, IconRobot } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import { useAgentNames } from '../../api/agent-names.js';
import { type DeploymentFilter, type DeploymentStatus, useDeployments } from '../../api/deployments.js';
import { ApiError } from '../../api/request.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { DeploymentsTable } from './deployments-table.js';

const STATUSES: readonly DeploymentStatus[] = [
  'deploying',
  'running',
  'ready',
  'stopped',
  'failed',
  'killed',
];

/** The filters, kept in the page's address, so that a filtered list can be bookmarked and shared. */
function useFilter(): [
  DeploymentFilter,
  (change: Partial<Record<keyof DeploymentFilter, string | null>>) => void,
] {
  const [search, setSearch] = useSearchParams();
  const status = STATUSES.find((it) => it === search.get('status'));
  const agent_id = search.get('agent') ?? undefined;
  const filter = { ...(status && { status }), ...(agent_id && { agent_id }) };
  return [
    filter,
    (change) => {
      const wanted = { ...filter, ...change };
      const next = new URLSearchParams();
      if (wanted.status) next.set('status', wanted.status);
      if (wanted.agent_id) next.set('agent', wanted.agent_id);
      setSearch(next, { replace: true });
    },
  ];
}

export function DeploymentsPage() {
  const [filter, setFilter] = useFilter();
  const list = useDeployments(filter);
  const { data: agents = [] } = useAgentNames();
  const isFiltered = filter.status !== undefined || filter.agent_id !== undefined;
  return (
    <>
      <PageHeader title="Deployments" />
      <Group mb="md" gap="sm" role="search" aria-label="Filters">
        <Select
          aria-label="Status"
          placeholder="Any status"
          w={{ base: '100%', xs: 170 }}
          data={STATUSES}
          value={filter.status ?? null}
          onChange={(status) => setFilter({ status })}
          clearable
        />
        <Select
          aria-label="Agent"
          placeholder="Any agent"
          w={{ base: '100%', xs: 260 }}
          data={agents.map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.agent_id ?? null}
          onChange={(agent_id) => setFilter({ agent_id })}
          nothingFoundMessage="No agent of that name"
          limit={100}
          searchable
          clearable
        />
      </Group>
      <List list={list} isFiltered={isFiltered} onClear={() => setFilter({ status: null, agent_id: null })} />
    </>
  );
}

interface ListProps {
  readonly list: ReturnType<typeof useDeployments>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function List({ list, isFiltered, onClear }: ListProps) {
  // an invalid filter in a mistyped address matches nothing
  const isMeaningless = isFiltered && list.error instanceof ApiError && list.error.status === 422;
  if (list.error && !isMeaningless) {
    return <ErrorNotice error={list.error} title="The deployments can’t be shown" onRetry={list.refetch} />;
  }
  if (list.isPending && !isMeaningless) return <Pending rows={8} />;
  if (list.rows.length > 0) {
    return (
      <>
        <DeploymentsTable deployments={list.rows} />
        <LoadMore list={list} />
      </>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState
        icon={IconRocket}
        title="No deployment matches"
        action={
          <Button variant="default" onClick={onClear}>
            Show all deployments
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      icon={IconRocket}
      title="Nothing has been deployed yet"
      action={
        <Button component={Link} to="/agents" leftSection={<IconRobot size={16} aria-hidden />}>
          Choose an agent to deploy
        </Button>
      }
    >
      A deployment is one start of an agent: its runtime is told to run it, and reports how that goes.
    </EmptyState>
  );
}
