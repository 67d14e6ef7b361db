import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { filled } from '../../option-values.js';
import { printProject } from './columns.js';

export const command = defineCommand({
  arguments: [projectArgument, { name: 'name', description: 'its new name', parse: filled }],
  details: 'For owners of the project. A personal project cannot be renamed.',
  examples: [{ command: 'projects rename payments billing', explanation: 'its id stays the same' }],
  read: (input) => ({ project: input.argument('project'), name: input.argument('name') }),
  async run({ project, name }, context) {
    const path = { project_id: await findProjectId(context, project) };
    const renamed = context.service().PATCH('/projects/{project_id}', { params: { path }, body: { name } });
    printProject(context, await unwrap(renamed));
  },
});
