import type { Agent } from '@agent-control-plane/client';
import { Connection } from '../../components/connection.js';
import { Cut } from '../../components/cut.js';
import type { Column } from '../../components/data-table.js';
import { useProjectColumn } from '../../components/project-name.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TimeAgo } from '../../components/time-ago.js';
import { HealthStrip } from './health-strip.js';
import { columnsIn } from './shown-columns.js';

/** Healths whose reason is shown in the list. */
const TROUBLES: readonly string[] = ['failing', 'degraded', 'offline'];

/** The reason of a trouble. */
export function reasonOfTrouble({ health }: Agent): string | undefined {
  return TROUBLES.includes(health.state) ? health.reason : undefined;
}

/** The config version that is meant to run, and the newest one where that is another. */
function versionText({ deployed, config_version: newest }: Agent) {
  if (deployed === null) return null;
  return newest === deployed.config_version ? `v${newest}` : `v${deployed.config_version} (v${newest} saved)`;
}

const NAME: Column<Agent> = {
  key: 'name',
  header: 'Name',
  cell: ({ name }) => <Cut text={name} />,
  isName: true,
};

const FIRST: readonly Column<Agent>[] = [
  {
    key: 'health',
    header: 'Health',
    width: '9rem',
    cell: ({ health }) => (
      <span title={health.reason}>
        <StatusBadge status={health.state} />
      </span>
    ),
  },
  {
    key: 'day',
    header: 'Last 24 hours',
    width: '9rem',
    isDetail: true,
    cell: ({ id }) => <HealthStrip agentId={id} />,
  },
  {
    key: 'ready',
    header: 'Ready',
    width: '4.5rem',
    align: 'right',
    cell: ({ deployed }) => deployed && `${deployed.ready_replicas} of ${deployed.replicas}`,
  },
  { key: 'version', header: 'Version', width: '7.5rem', align: 'right', cell: versionText },
  {
    key: 'labels',
    header: 'Labels',
    width: '8rem',
    isDetail: true,
    cell: ({ labels }) => {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}:${value}`);
      return pairs.length === 0 ? null : <Cut text={pairs.join(', ')} />;
    },
  },
  {
    key: 'connection',
    header: 'Connection',
    width: '11.5rem',
    cell: (agent) => <Connection agent={agent} />,
  },
];

const MORE: readonly Column<Agent>[] = [
  { key: 'type', header: 'Type', width: '7rem', isDetail: true, cell: ({ type }) => <Cut text={type} /> },
  {
    key: 'program',
    header: 'Program version',
    width: '8rem',
    isDetail: true,
    cell: ({ version }) => version && <Cut text={version} />,
  },
  {
    key: 'host',
    header: 'Host',
    width: '8rem',
    isDetail: true,
    cell: ({ hostname }) => hostname && <Cut text={hostname} />,
  },
  {
    key: 'created',
    header: 'Created',
    width: '7rem',
    isDetail: true,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
];

/** Columns that can be chosen, in their order. The project is one for users of several. */
export function useChoosableColumns(): readonly Column<Agent>[] {
  const project = useProjectColumn<Agent>();
  return [...FIRST, ...project, ...MORE];
}

/** The columns of the page's address, the name first. */
export function useAgentColumns(search: URLSearchParams): readonly Column<Agent>[] {
  const shown = columnsIn(search);
  return [NAME, ...useChoosableColumns().filter(({ key }) => shown.includes(key))];
}
