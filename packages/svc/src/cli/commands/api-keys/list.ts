import { defineProjectList } from '../../list-command.js';
import { keyColumns } from './columns.js';

export const command = defineProjectList({
  examples: [
    {
      command: 'api-keys list',
      explanation: 'the newest 50 keys; the keys themselves are never shown again',
    },
    {
      command: "api-keys list --all -o json | jq '.[] | select(.is_active)'",
      explanation: 'the active keys',
    },
  ],
  read: () => undefined,
  pages: (_, context) => (query) => context.service().GET('/api-keys', { params: { query } }),
  columns: keyColumns,
  ifEmpty: 'No keys: create one with "svc api-keys create"',
});
