import { Text } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { type AgentGroup, useAgentGroups } from '../../api/agent-groups.js';
import type { AgentFilter } from '../../api/agents.js';
import { counted } from '../../components/counted.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { Pending } from '../../components/pending.js';
import { ProjectName } from '../../components/project-name.js';
import { StatusBadge } from '../../components/status-badge.js';
import { addressOf, wordsOf } from './grouping.js';

const COUNTS: readonly Column<AgentGroup>[] = [
  {
    key: 'unhealthy',
    header: 'Unhealthy',
    width: '9rem',
    cell: ({ unhealthy }) =>
      unhealthy > 0 ? <StatusBadge status="failing" label={unhealthy.toLocaleString('en')} /> : null,
  },
  {
    key: 'agents',
    header: 'Agents',
    width: '7rem',
    align: 'right',
    cell: ({ agents }) => agents.toLocaleString('en'),
  },
];

/** Agents counted by a property, those groups first in which agents fail or are offline; each leads to its list. */
export function AgentGroups({ by, filter }: { readonly by: string; readonly filter: AgentFilter }) {
  const [search] = useSearchParams();
  const { data, error, refetch } = useAgentGroups(by, filter);
  if (data === undefined && error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Pending rows={6} />;
  if (data.groups.length === 0) {
    return (
      <EmptyState icon={IconSearch} title="No agent matches">
        Try another name or filter.
      </EmptyState>
    );
  }
  const words = wordsOf(by);
  const name: Column<AgentGroup> = {
    key: 'group',
    header: `${words[0]!.toUpperCase()}${words.slice(1)}`,
    isName: true,
    cell: ({ value }) => <GroupName by={by} value={value} />,
  };
  return (
    <>
      <DataTable
        label={`Agents by ${words}`}
        columns={[name, ...COUNTS]}
        rows={data.groups}
        rowKey={({ value }) => (value === null ? '' : `=${value}`)}
        rowLink={({ value }) => addressOf(search, by, value)}
      />
      {data.total > data.groups.length && (
        <Text size="sm" c="dimmed" mt="sm">
          {`The first ${data.groups.length} of ${counted(data.total, 'group')}. Narrow them by a filter.`}
        </Text>
      )}
    </>
  );
}

function GroupName({ by, value }: { readonly by: string; readonly value: string | null }) {
  if (value === null) return <Text span size="sm" c="dimmed">{`without ${wordsOf(by)}`}</Text>;
  if (by === 'project') return <ProjectName id={value} />;
  return value === '' ? '(empty)' : value;
}
