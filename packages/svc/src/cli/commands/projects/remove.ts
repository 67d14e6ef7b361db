import { defineCommand } from '../../command.js';
import { confirm, yesOption } from '../../confirmation.js';
import { findMemberId, findProjectId, projectArgument } from '../../find-project.js';
import { filled } from '../../option-values.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [
    projectArgument,
    { name: 'member', description: 'their email address, id, or the beginning of their id', parse: filled },
  ],
  options: [yesOption],
  details:
    'For owners of the project; everybody may remove themselves. What they created stays, and so do the ' +
    'keys of the project. The last owner cannot be removed.',
  examples: [
    { command: 'projects remove payments grace@example.com', explanation: 'asks first' },
    { command: 'projects remove payments grace@example.com --yes', explanation: 'does not ask' },
  ],
  read: (input) => ({
    project: input.argument('project'),
    member: input.argument('member'),
    isConfirmed: input.flag('yes'),
  }),
  async run({ project, member, isConfirmed }, context) {
    const project_id = await findProjectId(context, project);
    const user_id = await findMemberId(context, project_id, member);
    await confirm(
      context,
      isConfirmed,
      () => `Remove ${member} from the project ${project} (${project_id})?`,
    );
    const path = { project_id, user_id };
    await context.service().DELETE('/projects/{project_id}/members/{user_id}', { params: { path } });
    printDone(context, { removed: user_id }, `Removed the member ${user_id} from the project ${project_id}`);
  },
});
