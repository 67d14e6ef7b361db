import type { Project } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { defineList } from '../../list-command.js';
import { filled } from '../../option-values.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export const command = defineList({
  options: [
    { flags: '-q, --text <text>', description: 'only projects with this in the name', parse: filled },
    { flags: '--everyone', description: 'for operators: also projects of other people' },
  ],
  details: 'Your personal project comes first, then the others by name, each with your role.',
  examples: [
    { command: 'projects list', explanation: 'your projects, and which one commands use' },
    { command: 'projects list --everyone --all', explanation: 'every project of the service' },
  ],
  read: (input) => ({
    text: input.text('text'),
    isOfEveryone: input.flag('everyone'),
  }),
  pages: ({ text: q, isOfEveryone }, context) => {
    const filter = { q, all: isOfEveryone || undefined };
    return (query) => context.service().GET('/projects', { params: { query: { ...query, ...filter } } });
  },
  columns,
  ifEmpty: 'No project matches',
});

async function columns(context: Context): Promise<Column<Project>[]> {
  const now = context.now();
  const inUse = await context.projectId();
  return [
    { title: 'ID', value: ({ id }) => id, fit: 'id' },
    { title: 'NAME', value: ({ name }) => name, fit: 'name' },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'PERSONAL', value: ({ is_personal: isPersonal }) => (isPersonal ? 'yes' : '') },
    { title: 'IN USE', value: ({ id }) => (id === inUse ? 'yes' : '') },
    { title: 'CREATED', value: (project) => relativeTime(project.created_at, now) },
  ];
}
