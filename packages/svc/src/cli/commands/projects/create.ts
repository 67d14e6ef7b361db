import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { filled } from '../../option-values.js';
import { printProject } from './columns.js';

export const command = defineCommand({
  arguments: [{ name: 'name', description: 'what to call it; names need not differ', parse: filled }],
  details:
    'You are its owner. Agents, webhooks and keys of a project belong to all of its members, by their roles.',
  examples: [
    { command: 'projects create payments', explanation: 'then: svc projects add payments grace@example.com' },
  ],
  read: (input) => ({ name: input.argument('name') }),
  async run({ name }, context) {
    printProject(context, await unwrap(context.service().POST('/projects', { body: { name } })));
  },
});
