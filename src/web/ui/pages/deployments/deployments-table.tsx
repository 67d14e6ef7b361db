import { Text } from '@mantine/core';
import { errorLineOf } from '@agent-control-plane/client/internal/error-line';
import type { Deployment } from '@agent-control-plane/client';
import { type Column, DataTable } from '../../components/data-table.js';
import { restartsText } from '../../components/last-exit.js';
import { phaseOf } from '../../components/lifecycle.js';
import { useProjectColumn } from '../../components/project-name.js';
import { shortId } from '../../components/short-id.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { TwoLines } from '../../components/two-lines.js';

/** Why a deployment failed or is not ready: of a stack trace the line of its exception. */
function reasonOf(deployment: Deployment) {
  const { error_message: error } = deployment;
  if (error !== null) return <TwoLines text={error}>{errorLineOf(error) ?? error}</TwoLines>;
  const text = restartsText(deployment);
  return text && <TwoLines text={text} />;
}

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
  {
    key: 'version',
    header: 'Version',
    align: 'right',
    width: '5rem',
    isDetail: true,
    cell: ({ config_version }) => `v${config_version}`,
  },
  {
    key: 'reason',
    header: 'Reason',
    width: '18rem',
    isLong: true,
    cell: reasonOf,
  },
  {
    key: 'node',
    header: 'Node',
    width: '7rem',
    isLong: true,
    isDetail: true,
    cell: ({ node_id: node }) => node && <TwoLines text={node} />,
  },
  {
    key: 'started',
    header: 'Started',
    width: '7rem',
    cell: (it) => <TimeAgo at={it.started_at} />,
  },
];

export interface DeploymentsTableProps {
  readonly deployments: readonly Deployment[];
  readonly checkboxes: Column<Deployment>;
  readonly onEndReached?: (() => void) | undefined;
}

export function DeploymentsTable({ deployments, checkboxes, onEndReached }: DeploymentsTableProps) {
  const project = useProjectColumn<Deployment>();
  return (
    <DataTable
      label="Deployments"
      columns={[checkboxes, ...COLUMNS.slice(0, 4), ...project, ...COLUMNS.slice(4)]}
      rows={deployments}
      rowKey={(it) => it.id}
      rowLink={(it) => `/deployments/${it.id}`}
      onEndReached={onEndReached}
    />
  );
}
