import type { Project, ProjectMember } from '@agent-control-plane/client';
import type { CommandArgument } from './command-declaration.js';
import type { Context } from './context.js';
import { findId, type ResourceKind } from './find-resource.js';
import { filled } from './option-values.js';
import { ALL_PAGES, PAGE, readPages } from './paging.js';

/** The word for all projects, instead of one. A project of this name goes by its id. */
export const ALL_PROJECTS = 'all';

export const projectArgument: CommandArgument = {
  name: 'project',
  description: 'its name, its id, or the beginning of its id',
  completes: 'project',
  parse: filled,
};

export const projectKind: ResourceKind<Project> = {
  noun: 'project',
  list: 'svc projects list',
  // the service has no filter by the beginning of an id: a person has few projects
  read: (context, { q }, page, signal) =>
    context.service().GET('/projects', { params: { query: { ...page, q } }, signal }),
  nameOf: ({ name }) => name,
  describe: ({ name, role }) => [name, role].filter(Boolean).join(', '),
};

/** @throws CommandFailedError if no project or more than one matches */
export function findProjectId(context: Context, text: string): Promise<string> {
  return findId(context, projectKind, text);
}

/** All projects of the caller, the personal one first. */
export async function ownProjects(context: Context): Promise<Project[]> {
  const { items } = await readPages(ALL_PAGES, PAGE.resources, (page) => projectKind.read(context, {}, page));
  return items;
}

/** A member with the identity that {@link findId} needs. */
type NamedMember = ProjectMember & { readonly id: string };

/**
 * The id of a member by email address, id or beginning of an id.
 *
 * @throws CommandFailedError if no member or more than one matches
 */
export function findMemberId(context: Context, projectId: string, text: string): Promise<string> {
  const memberKind: ResourceKind<NamedMember> = {
    noun: 'member',
    list: `svc projects members ${projectId}`,
    async read(_context, _search, query, signal) {
      const path = { project_id: projectId };
      const { data, response } = await context
        .service()
        .GET('/projects/{project_id}/members', { params: { path, query }, signal });
      return { data: data?.map((member) => ({ ...member, id: member.user_id })), response };
    },
    nameOf: ({ email }) => email,
    describe: ({ email, role }) => `${email}, ${role}`,
  };
  return findId(context, memberKind, text);
}
