import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Deployment } from '@agent-control-plane/client';
import { restartDeployment, stopDeployment } from '../../api/deployments.js';
import type { BulkAction } from '../../components/bulk-dialog.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { phaseOf } from '../../components/lifecycle.js';
import { useSelection } from '../../components/selection.js';
import { SelectionBar } from '../../components/selection-bar.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { STATUS_SOURCES } from '../deployment/event-descriptions.js';

function Name({ deployment }: { readonly deployment: Deployment }) {
  return (
    <>
      {deployment.agent_name}{' '}
      <Text span size="xs" c="dimmed" ff="monospace" fw={400} title={deployment.id}>
        {shortId(deployment.id)}
      </Text>
    </>
  );
}

const COLUMNS: readonly Column<Deployment>[] = [
  { key: 'name', header: 'Deployment', isName: true, cell: (it) => <Name deployment={it} /> },
  { key: 'status', header: 'Status', width: '8rem', cell: (it) => <StatusBadge status={phaseOf(it)} /> },
  {
    key: 'replicas',
    header: 'Ready',
    align: 'right',
    width: '5rem',
    cell: (it) => (it.ended_at === null ? `${it.ready_replicas} / ${it.replicas}` : null),
  },
  { key: 'source', header: 'Source', width: '8rem', cell: (it) => STATUS_SOURCES[it.status_source] },
  {
    key: 'node',
    header: 'Node',
    width: '8rem',
    isLong: true,
    cell: (it) => it.node_id,
  },
  {
    key: 'started',
    header: 'Started',
    width: '8rem',
    cell: (it) => <TimeAgo at={it.started_at} />,
  },
];

const ACTIONS: readonly BulkAction[] = [
  { label: 'Stop', description: 'Each is stopped; only active ones can be.', run: stopDeployment },
  {
    label: 'Restart',
    description: 'Each is started again; only those that were stopped or failed can be.',
    run: restartDeployment,
  },
];

export interface DeploymentsTableProps {
  readonly deployments: readonly Deployment[];
  readonly onEndReached?: (() => void) | undefined;
}

export function DeploymentsTable({ deployments, onEndReached }: DeploymentsTableProps) {
  const client = useQueryClient();
  const selection = useSelection(deployments, ({ agent_name, id }) => `${agent_name} ${shortId(id)}`);
  return (
    <>
      <SelectionBar
        selected={selection.selected}
        actions={ACTIONS}
        onClear={() => {
          selection.clear();
          void client.invalidateQueries();
        }}
      />
      <DataTable
        label="Deployments"
        columns={[selection.column, ...COLUMNS]}
        rows={deployments}
        rowKey={(it) => it.id}
        rowLink={(it) => `/deployments/${it.id}`}
        onEndReached={onEndReached}
      />
    </>
  );
}
