import { Stack } from '@mantine/core';
import { IconFolders } from '@tabler/icons-react';
import { useState } from 'react';
import { type Project, useEverybodysProjects } from '../../api/projects.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { EntityId } from '../../components/entity-id.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { LoadMore } from '../../components/load-more.js';
import { Pending } from '../../components/pending.js';
import { SearchField } from '../../components/search-field.js';
import { TimeAgo } from '../../components/time-ago.js';

const COLUMNS: readonly Column<Project>[] = [
  { key: 'name', header: 'Name', isName: true, cell: ({ name }) => name },
  { key: 'id', header: 'Id', cell: ({ id }) => <EntityId id={id} what="project id" /> },
  {
    key: 'kind',
    header: 'Members',
    cell: ({ is_personal }) => (is_personal ? 'one person' : 'shared'),
  },
  { key: 'role', header: 'Your role', cell: ({ role }) => role },
  {
    key: 'created',
    header: 'Created',
    isDetail: true,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
];

/** Every project of the service; operators only. */
export function EverybodysProjects() {
  const [text, setText] = useState<string | null>(null);
  return (
    <Stack gap="sm">
      <SearchField label="Search projects" hint="name" value={text ?? ''} onChange={setText} />
      <div>
        <List key={text} text={text} />
      </div>
    </Stack>
  );
}

function List({ text }: { readonly text: string | null }) {
  const list = useEverybodysProjects(text);
  if (list.error) {
    return <ErrorNotice error={list.error} title="Couldn’t load the projects" onRetry={list.refetch} />;
  }
  if (list.isPending) return <Pending rows={6} />;
  if (list.rows.length === 0) return <EmptyState icon={IconFolders} title="No project has this name" />;
  return (
    <>
      <DataTable
        label="Projects of everybody"
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/projects/${id}`}
      />
      <LoadMore list={list} />
    </>
  );
}
