import { type Project, useProjects } from '../../api/projects.js';
import { type Column, DataTable } from '../../components/data-table.js';
import { TimeAgo } from '../../components/time-ago.js';
import { ProjectMenu } from './project-menu.js';

const COLUMNS: readonly Column<Project>[] = [
  { key: 'name', header: 'Name', isName: true, cell: ({ name }) => name },
  {
    key: 'kind',
    header: 'Members',
    cell: ({ is_personal }) => (is_personal ? 'you alone' : 'shared'),
  },
  { key: 'role', header: 'Your role', cell: ({ role }) => role },
  {
    key: 'created',
    header: 'Created',
    isDetail: true,
    cell: ({ created_at }) => <TimeAgo at={created_at} />,
  },
  {
    key: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (project) => (project.is_personal ? null : <ProjectMenu project={project} />),
  },
];

export function ProjectsTable() {
  const { data: projects = [] } = useProjects();
  return (
    <DataTable
      label="Projects"
      columns={COLUMNS}
      rows={projects}
      rowKey={({ id }) => id}
      rowLink={({ id }) => `/projects/${id}`}
    />
  );
}
