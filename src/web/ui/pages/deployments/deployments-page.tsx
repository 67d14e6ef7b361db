import { Button } from '@mantine/core';
import { IconRocket, IconRobot } from '@tabler/icons-react';
import { Link, useSearchParams } from 'react-router';
import type { Deployment } from '@agent-control-plane/client';
import { useChosenProjectId } from '../../api/chosen-project.js';
import { restartSelected, stopDeployment, useDeployments } from '../../api/deployments.js';
import { ApiError } from '../../api/request.js';
import type { BulkAction } from '../../components/bulk-dialog.js';
import type { Column } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { PageHeader } from '../../components/page-header.js';
import { Pending } from '../../components/pending.js';
import { useSelection } from '../../components/selection.js';
import { SelectionBar } from '../../components/selection-bar.js';
import { shortId } from '../../components/short-id.js';
import { DeploymentFilters, useDeploymentFilter } from './deployment-filters.js';
import { DeploymentsTable } from './deployments-table.js';

const ACTIONS: readonly BulkAction[] = [
  {
    label: 'Stop',
    description: 'Stops each deployment that is active.',
    scope: 'deploy',
    isForOperators: true,
    isDestructive: true,
    run: stopDeployment,
  },
  {
    label: 'Restart',
    description:
      'Running deployments replace their replicas one after another; stopped and failed ones start again.',
    scope: 'deploy',
    run: restartSelected,
  },
];

export function DeploymentsPage() {
  const filter = useDeploymentFilter();
  const [, setSearch] = useSearchParams();
  const list = useDeployments(filter);
  const isFiltered = Object.keys(filter).length > 0;
  const isNone = !isFiltered && !list.isPending && !list.error && list.rows.length === 0;
  const projectId = useChosenProjectId();
  const matching = { path: '/api/dashboard/deployments', filter: { ...filter, project_id: projectId } };
  const selection = useSelection(
    list.rows,
    ({ agent_name, id }) => `${agent_name} ${shortId(id)}`,
    list.hasMore ? matching : null,
  );
  return (
    <>
      <PageHeader title="Deployments" />
      {!isNone && <DeploymentFilters filter={filter} agentName={list.rows[0]?.agent_name} />}
      <SelectionBar noun="deployment" selection={selection} actions={ACTIONS} />
      <List
        list={list}
        checkboxes={selection.column}
        isFiltered={isFiltered}
        onClear={() => setSearch({}, { replace: true })}
      />
    </>
  );
}

interface ListProps {
  readonly list: ReturnType<typeof useDeployments>;
  readonly checkboxes: Column<Deployment>;
  readonly isFiltered: boolean;
  readonly onClear: () => void;
}

function List({ list, checkboxes, isFiltered, onClear }: ListProps) {
  // an invalid filter in a mistyped address matches nothing
  const isMeaningless = isFiltered && list.error instanceof ApiError && list.error.status === 422;
  if (list.error && !isMeaningless) {
    return <ErrorNotice error={list.error} title="Couldn’t load the deployments" onRetry={list.refetch} />;
  }
  if (list.isPending && !isMeaningless) return <Pending rows={8} />;
  if (list.rows.length > 0) {
    return (
      <>
        <DeploymentsTable
          deployments={list.rows}
          checkboxes={checkboxes}
          onEndReached={list.hasMore && !list.isLoadingMore ? list.loadMore : undefined}
        />
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
      A deployment is one start of an agent: its runtime runs it and reports its status.
    </EmptyState>
  );
}
