import { defineProjectList } from '../../list-command.js';
import { webhookColumns } from './columns.js';

export const command = defineProjectList({
  examples: [
    { command: 'webhooks list', explanation: 'the newest 50' },
    { command: 'webhooks list --all --output json', explanation: 'all of them, for a program' },
  ],
  read: () => undefined,
  pages: (_, context) => (query) => context.service().GET('/webhooks/', { params: { query } }),
  columns: webhookColumns,
  ifEmpty: 'No webhooks: create one with "svc webhooks create"',
});
