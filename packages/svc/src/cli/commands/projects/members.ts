import type { ProjectMember } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { defineList } from '../../list-command.js';
import { relativeTime } from '../../output/relative-time.js';
import type { Column } from '../../output/table.js';

export const command = defineList({
  arguments: [projectArgument],
  details:
    'Members were added, or have a role through a group of the identity provider. A person with both is ' +
    'shown once, with the higher role.',
  examples: [
    { command: 'projects members payments', explanation: 'the members and their roles' },
    { command: 'projects members payments --all --json email,role', explanation: 'for a program' },
  ],
  read: (input) => ({ project: input.argument('project') }),
  async pages({ project }, context) {
    const path = { project_id: await findProjectId(context, project) };
    return (query) => context.service().GET('/projects/{project_id}/members', { params: { path, query } });
  },
  keyOf: ({ user_id: userId }) => userId,
  columns,
  ifEmpty: 'No members',
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
