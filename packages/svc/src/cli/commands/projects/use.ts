import { unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { withProject } from '../../contexts.js';
import { CommandFailedError } from '../../failures.js';
import { ALL_PROJECTS, findProjectId, projectArgument } from '../../find-project.js';
import { printDone } from '../../output/done.js';

export const command = defineCommand({
  arguments: [{ ...projectArgument, description: `${projectArgument.description}; or ${ALL_PROJECTS}` }],
  details:
    'The context remembers it: from now on commands list what is in this project, find names there, and create there.\n' +
    '--project chooses another one for one command. all: commands list all of your projects again.',
  examples: [
    { command: 'projects use payments', explanation: 'commands work in this project' },
    { command: 'projects use all', explanation: 'they list all projects, and create in the personal one' },
  ],
  read: (input) => ({ text: input.argument('project') }),
  async run({ text }, context) {
    if (context.credential === 'environment')
      throw new CommandFailedError(
        'A project is remembered with a login, and SERVICE_API_KEY takes the place of one: give --project',
      );
    const { url } = context.address;
    const remember = async (projectId: string | undefined) =>
      context.config.write(withProject(await context.config.read(), url, projectId));
    if (text === ALL_PROJECTS) {
      await remember(undefined);
      return printDone(context, { project_id: null }, 'Commands use all of your projects now');
    }
    const path = { project_id: await findProjectId(context, text) };
    const project = await unwrap(context.service().GET('/projects/{project_id}', { params: { path } }));
    await remember(project.id);
    printDone(
      context,
      { project_id: project.id },
      `Commands use the project ${project.name} now (${project.id})`,
    );
  },
});
