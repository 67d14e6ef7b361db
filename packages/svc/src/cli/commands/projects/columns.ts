import type { Project, Role } from '@agent-control-plane/client';
import type { Context } from '../../context.js';
import { printRecord } from '../../output/record.js';
import { relativeTime } from '../../output/relative-time.js';

/** Roles of members, lowest first. */
export const ROLES: readonly Role[] = ['viewer', 'deployer', 'maintainer', 'owner'];

/** One project, in the form that every command prints. */
export function printProject(context: Context, project: Project): void {
  printRecord(context, project, [
    ['Id', project.id],
    ['Name', project.name],
    ['Role', project.role],
    ['Personal', project.is_personal ? 'yes' : 'no'],
    ['Created', relativeTime(project.created_at, context.now())],
  ]);
}
