import { type ProjectMember, type Role, ServiceError, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../failures.js';
import { findMemberId, findProjectId, projectArgument } from '../../find-project.js';
import { filled } from '../../option-values.js';
import { printRecord } from '../../output/record.js';
import { ROLES } from './columns.js';

export const command = defineCommand({
  arguments: [
    projectArgument,
    { name: 'email', description: 'the email address of an account', parse: filled },
  ],
  options: [{ flags: '--role <role>', description: 'their role', choices: ROLES }],
  details:
    'For owners of the project. A viewer sees everything; a deployer also deploys, scales, stops and ' +
    'restarts; a maintainer also creates and deletes agents, webhooks and keys; an owner also manages ' +
    'members. For a member, this changes the role.',
  examples: [
    {
      command: 'projects add payments grace@example.com --role deployer',
      explanation: 'she can deploy its agents within a second',
    },
  ],
  read(input) {
    const role = input.value<Role>('role');
    if (role === undefined) throw new UsageError(`Give their role with --role: ${ROLES.join(', ')}`);
    return { project: input.argument('project'), email: input.argument('email'), role };
  },
  async run({ project, email, role }, context) {
    const projectId = await findProjectId(context, project);
    const member = await added(context, projectId, { email, role });
    printRecord(context, member, [
      ['Email', member.email],
      ['Name', member.name],
      ['Role', member.role],
    ]);
  },
});

/** The new member, or the present one with this role. */
async function added(
  context: Context,
  projectId: string,
  body: { readonly email: string; readonly role: Role },
): Promise<ProjectMember> {
  const service = context.service();
  const path = { project_id: projectId };
  try {
    return await unwrap(service.POST('/projects/{project_id}/members', { params: { path }, body }));
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'already_member')) throw error;
    const user_id = await findMemberId(context, projectId, body.email);
    return unwrap(
      service.PATCH('/projects/{project_id}/members/{user_id}', {
        params: { path: { ...path, user_id } },
        body: { role: body.role },
      }),
    );
  }
}
