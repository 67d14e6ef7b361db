import { defineCommand } from '../../command.js';
import { printList } from '../../output/table.js';
import { projectColumn } from '../../project-column.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';
import { webhookColumns } from './columns.js';

export const command = defineCommand({
  options: pageOptions,
  examples: [
    { command: 'webhooks list', explanation: 'the newest 50' },
    { command: 'webhooks list --all --output json', explanation: 'all of them, for a program' },
  ],
  read: (input) => ({ page: readPageOptions(input) }),
  async run({ page }, context) {
    const service = context.service();
    const project_id = await context.projectId();
    const list = await readPages(page, PAGE.resources, (query) =>
      service.GET('/webhooks/', { params: { query: { ...query, project_id } } }),
    );
    printList(context, {
      ...list,
      columns: [...webhookColumns(context), ...(await projectColumn(context, list.items))],
      ifEmpty: 'No webhooks: make one with "svc webhooks create"',
    });
  },
});
