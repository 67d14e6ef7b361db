import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [projectArgument],
  options: [yesOption],
  details:
    'For owners of the project. Its webhooks are deleted and its keys stop working. Delete its agents ' +
    'first, or move them with svc agents move.',
  examples: [
    { command: 'projects delete payments', explanation: 'asks first' },
    { command: 'projects delete payments --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({ project: input.argument('project'), isConfirmed: input.flag('yes') }),
  async run({ project, isConfirmed }, context) {
    const id = await findProjectId(context, project);
    await confirm(
      context,
      isConfirmed,
      () => `Delete the project ${project} (${id}), with its webhooks and keys?`,
    );
    await context.service().DELETE('/projects/{project_id}', { params: { path: { project_id: id } } });
    printDone(context, { deleted: id }, `Deleted the project ${id}`);
  },
});
