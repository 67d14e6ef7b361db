import { useHasSharedProjects, useProject } from '../api/projects.js';
import { useChosenProjectId } from '../api/chosen-project.js';
import type { Column } from './data-table.js';
import { shortId } from './short-id.js';
import { TwoLines } from './two-lines.js';

export interface ProjectNameProps {
  readonly id: string;
}

/** Name of a project; the end of its id if the user is no member. */
function useProjectName(id: string): string {
  return useProject(id)?.name ?? `…${shortId(id)}`;
}

export function ProjectName({ id }: ProjectNameProps) {
  return useProjectName(id);
}

function ProjectCell({ id }: ProjectNameProps) {
  return <TwoLines text={useProjectName(id)} />;
}

/** A fact of a page: the project of its resource, and the user's role in it. Hidden from users without shared projects. */
export function ProjectFact({ id }: ProjectNameProps) {
  const role = useProject(id)?.role;
  if (!useHasSharedProjects()) return null;
  return (
    <span>
      Project: <ProjectName id={id} />
      {role && ` (you: ${role})`}
    </span>
  );
}

/** The column with the project of each row; none if all rows are of one project. */
export function useProjectColumn<
  Row extends { readonly project_id: string | null },
>(): readonly Column<Row>[] {
  const isOfOne = useChosenProjectId() !== undefined;
  if (!useHasSharedProjects() || isOfOne) return [];
  return [
    {
      key: 'project',
      header: 'Project',
      width: '8rem',
      isLong: true,
      cell: ({ project_id: id }) => id && <ProjectCell id={id} />,
    },
  ];
}
