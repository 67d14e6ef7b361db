import { type GroupRole, type Role, unwrap } from '@agent-control-plane/client';
import { defineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { CommandFailedError, UsageError } from '../../failures.js';
import { findProjectId, projectArgument } from '../../find-project.js';
import { printList } from '../../output/table.js';
import { ROLES } from './columns.js';

export const command = defineCommand({
  arguments: [projectArgument],
  options: [
    {
      flags: '--set <group=role>',
      description: 'the role that a group gives; may be repeated',
      isRepeatable: true,
    },
    {
      flags: '--remove <group>',
      description: 'a group that no longer gives a role; may be repeated',
      isRepeatable: true,
    },
  ],
  details:
    'Groups have the names that the identity provider gives them. Their members get the role at their ' +
    'next login or session refresh. Changes are for owners of the project.',
  examples: [
    { command: 'projects groups payments', explanation: 'which groups give which role' },
    {
      command: 'projects groups payments --set platform-team=deployer --remove contractors',
      explanation: 'other groups stay as they are',
    },
  ],
  read: (input) => ({
    project: input.argument('project'),
    set: (input.list('set') ?? []).map(groupRole),
    removed: input.list('remove') ?? [],
  }),
  async run({ project, set, removed }, context) {
    const path = { project_id: await findProjectId(context, project) };
    const service = context.service();
    const { groups } = await unwrap(service.GET('/projects/{project_id}', { params: { path } }));
    if (set.length + removed.length === 0) return print(context, groups);
    const body = { groups: changed(groups, set, removed) };
    print(
      context,
      (await unwrap(service.PATCH('/projects/{project_id}', { params: { path }, body }))).groups,
    );
  },
});

/** @throws UsageError */
function groupRole(text: string): GroupRole {
  // The name of a group may have the sign itself.
  const at = text.lastIndexOf('=');
  const [group, role] = [text.slice(0, at), text.slice(at + 1)];
  if (at > 0 && (ROLES as readonly string[]).includes(role)) return { group, role: role as Role };
  throw new UsageError(`--set takes a group, = and a role, as in developers=deployer: ${ROLES.join(', ')}`);
}

/** @throws CommandFailedError if a group to be removed gives no role */
function changed(
  groups: readonly GroupRole[],
  set: readonly GroupRole[],
  removed: readonly string[],
): GroupRole[] {
  const roles = new Map(groups.map(({ group, role }) => [group, role]));
  for (const group of removed)
    if (!roles.delete(group)) throw new CommandFailedError(`The group ${group} gives no role in the project`);
  for (const { group, role } of set) roles.set(group, role);
  return [...roles].map(([group, role]) => ({ group, role }));
}

function print(context: Context, groups: readonly GroupRole[]): void {
  const columns = [
    { title: 'GROUP', value: ({ group }: GroupRole) => group, fit: 'name' },
    { title: 'ROLE', value: ({ role }: GroupRole) => role },
  ] as const;
  printList(context, { items: groups, columns, ifEmpty: 'No group gives a role in the project' });
}
