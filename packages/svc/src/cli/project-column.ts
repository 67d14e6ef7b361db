import type { Context } from './context.js';
import { ownProjects } from './find-project.js';
import type { Column } from './output/table.js';

/** A column with the project of each row; none if the rows are of one project, as all are of a person who is alone. */
export async function projectColumn<Row extends { readonly project_id: string }>(
  context: Context,
  rows: readonly Row[],
): Promise<Column<Row>[]> {
  const isOfOne = new Set(rows.map(({ project_id: id }) => id)).size < 2;
  if (context.output === 'json' || isOfOne) return [];
  const names = new Map((await ownProjects(context)).map(({ id, name }) => [id, name]));
  // an operator also sees rows of projects of others
  return [{ title: 'PROJECT', value: ({ project_id: id }) => names.get(id) ?? id, fit: 'name' }];
}
