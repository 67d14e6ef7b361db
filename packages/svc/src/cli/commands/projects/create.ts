import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { filled } from '../../option-values.js';
import { printProject } from './columns.js';

export const command = defineCommand({
  arguments: [{ name: 'name', description: 'its name; several projects may have the same', parse: filled }],
  details: 'You become its owner. Its members share its agents, webhooks and keys, as their roles allow.',
  examples: [
    { command: 'projects create payments', explanation: 'then: svc projects add payments grace@example.com' },
  ],
  read: (input) => ({ name: input.argument('name') }),
  async run({ name }, context) {
    printProject(context, await unwrap(context.service().POST('/projects', { body: { name } })));
  },
});
