import { Text } from '@mantine/core';
import type { Agent } from '@agent-control-plane/client';
import { Connection } from '../../components/connection.js';
import type { Column } from '../../components/data-table.js';
import { useProjectColumn } from '../../components/project-name.js';
import { StatusBadge } from '../../components/status-badge.js';
import { TextWithTimes } from '../../components/text-with-times.js';
import { TimeAgo } from '../../components/time-ago.js';
import { columnsIn } from './shown-columns.js';

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

const NAME: Column<Agent> = { key: 'name', header: 'Name', cell: ({ name }) => name, isName: true };

/** All but the project, whose column depends on the user. */
const COLUMNS: readonly Column<Agent>[] = [
  {
    key: 'health',
    header: 'Health',
    width: '15rem',
    cell: ({ health }) => (
      <span title={health.reason}>
        <StatusBadge status={health.state} />
        {TROUBLES.includes(health.state) && (
          <Text size="xs" c="dimmed" lineClamp={1} mt={2}>
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
    key: 'labels',
    header: 'Labels',
    width: '11rem',
    isDetail: true,
    cell: ({ labels }) => {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}:${value}`);
      return pairs.length === 0 ? null : <OneLine text={pairs.join(', ')} width="10rem" />;
    },
  },
  {
    key: 'version',
    header: 'Version',
    width: '6rem',
    isDetail: true,
    cell: ({ version }) => version && <OneLine text={version} width="5.5rem" />,
  },
  {
    key: 'config',
    header: 'Config',
    width: '5rem',
    isDetail: true,
    align: 'right',
    cell: ({ config_version: version }) => `v${version}`,
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

/** Columns that can be chosen, in their order. The project is one for users of several. */
export function useChoosableColumns(): readonly Column<Agent>[] {
  const project = useProjectColumn<Agent>();
  return [...COLUMNS.slice(0, 2), ...project, ...COLUMNS.slice(2)];
}

/** The columns of the page's address, the name first. */
export function useAgentColumns(search: URLSearchParams): readonly Column<Agent>[] {
  const shown = columnsIn(search);
  return [NAME, ...useChoosableColumns().filter(({ key }) => shown.includes(key))];
}
