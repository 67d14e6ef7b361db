import type { ProjectMember } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { relativeTime } from '../../output/relative-time.js';
import { type Column, printList } from '../../output/table.js';
import { PAGE, pageOptions, readPageOptions, readPages } from '../../paging.js';

export const command = defineCommand({
  arguments: [projectArgument],
  options: pageOptions,
  details:
    'A member is there directly, or through a group of the identity provider. Who is both is shown once, with the higher role.',
  examples: [
    { command: 'projects members payments', explanation: 'who they are, and what each may do' },
    { command: 'projects members payments --all --json email,role', explanation: 'for a program' },
  ],
  read: (input) => ({ project: input.argument('project'), page: readPageOptions(input) }),
  async run({ project, page }, context) {
    const path = { project_id: await findProjectId(context, project) };
    const service = context.service();
    const list = await readPages(
      page,
      PAGE.resources,
      (query) => service.GET('/projects/{project_id}/members', { params: { path, query } }),
      ({ user_id: userId }) => userId,
    );
    printList(context, { ...list, columns: columns(context), ifEmpty: 'No members' });
  },
});

function columns(context: Context): Column<ProjectMember>[] {
  const now = context.now();
  return [
    { title: 'EMAIL', value: ({ email }) => email, fit: 'name' },
    { title: 'NAME', value: ({ name }) => name, fit: 'detail' },
    { title: 'ROLE', value: ({ role }) => role },
    { title: 'SOURCE', value: ({ source }) => source },
    { title: 'ADDED', value: (member) => relativeTime(member.created_at, now) },
  ];
}
