import { defineCommand } from '../../command.js';
import { printList } from '../../output/table.js';
import { projectColumn } from '../../project-column.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { keyColumns } from './columns.js';

export const command = defineCommand({
  options: pageOptions,
  examples: [
    {
      command: 'api-keys list',
      explanation: 'the newest 50 keys; the keys themselves are never shown again',
    },
    {
      command: "api-keys list --all -o json | jq '.[] | select(.is_active)'",
      explanation: 'those that are in force',
    },
  ],
  read: (input) => ({ page: readPageOptions(input) }),
  async run({ page }, context) {
    const service = context.service();
    const project_id = await context.projectId();
    const list = await readPages(page, PAGE.resources, (query) =>
      service.GET('/api-keys', { params: { query: { ...query, project_id } } }),
    );
    printList(context, {
      ...list,
      columns: [...keyColumns(context), ...(await projectColumn(context, list.items))],
      ifEmpty: 'No keys: make one with "svc api-keys create"',
    });
  },
});
