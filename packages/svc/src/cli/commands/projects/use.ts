import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { withProject } from '../../contexts.js';
import { CommandFailedError } from '../../failures.js';
import { ALL_PROJECTS, findProjectId, projectArgument } from '../../find-project.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [{ ...projectArgument, description: `${projectArgument.description}; or ${ALL_PROJECTS}` }],
  details:
    'Commands then list, find and create in this project; the context remembers it. --project chooses ' +
    'another one for one command. With all, commands list all of your projects.',
  examples: [
    { command: 'projects use payments', explanation: 'commands work in this project' },
    { command: 'projects use all', explanation: 'they list all projects, and create in the personal one' },
  ],
  read: (input) => ({ text: input.argument('project') }),
  async run({ text }, context) {
    if (context.credential === 'environment')
      throw new CommandFailedError(
        'The project in use belongs to a login, and SERVICE_API_KEY is set: give --project instead',
      );
    const { url } = context.address;
    const remember = async (projectId: string | undefined) =>
      context.config.write(withProject(await context.config.read(), url, projectId));
    if (text === ALL_PROJECTS) {
      await remember(undefined);
      return printDone(context, { project_id: null }, 'Commands now use all of your projects');
    }
    const path = { project_id: await findProjectId(context, text) };
    const project = await unwrap(context.service().GET('/projects/{project_id}', { params: { path } }));
    await remember(project.id);
    printDone(
      context,
      { project_id: project.id },
      `Commands now use the project ${project.name} (${project.id})`,
    );
  },
});
