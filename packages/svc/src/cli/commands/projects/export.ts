import { ServiceError, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { filled } from '../../option-values.js';
import { printJson } from '../../output/json.js';
import { ExportFolder } from './export/export-folder.js';
import { exportedLists } from './export/exported-lists.js';

export const command = defineCommand({
  arguments: [
    projectArgument,
    {
      name: 'folder',
      description: 'a new folder, or one with an unfinished export of the project',
      parse: filled,
    },
  ],
  details:
    'Writes agents, config versions, deployments, history, runs, spans, usage, approvals, logs, metrics, ' +
    'audit entries and more, as the API shows them, one record per line. Values of env are masked. What ' +
    'you may not read is left out, and export.json says so. After an interruption, the same command ' +
    'continues.',
  examples: [
    { command: 'projects export payments ./payments-2026', explanation: 'everything in it' },
    {
      command: "projects export payments ./payments-2026 --jq '.files[] | [.name, .records]'",
      explanation: 'and the number of records in each file',
    },
  ],
  read: (input) => ({ project: input.argument('project'), folder: input.argument('folder') }),
  async run({ project, folder: path }, context) {
    const { terminal } = context;
    const params = { path: { project_id: await findProjectId(context, project) } };
    const found = await unwrap(context.service().GET('/projects/{project_id}', { params }));
    const folder = await ExportFolder.open(path, context.address.url, found, context.now());
    for (const [name, read] of Object.entries(exportedLists(context, found))) {
      if (folder.has(name)) continue;
      try {
        const records = await folder.write(name, read());
        terminal.note(`${name}: ${records}`);
      } catch (error) {
        if (!(error instanceof ServiceError && error.status === 403)) throw error;
        await folder.leaveOut(name, error.message);
        terminal.note(`${name} is left out: ${error.message}`);
      }
    }
    await folder.finish(context.now());
    if (context.output === 'json') return printJson(context, folder.state);
    terminal.print(`${found.name} is in ${path}`);
  },
});
