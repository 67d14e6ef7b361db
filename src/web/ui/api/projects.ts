import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { components, Invitation } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, requestAll } from './request.js';

export type Role = components['schemas']['Role'];

export type Project = components['schemas']['ProjectResponse'];
export type ProjectDetail = components['schemas']['ProjectDetailResponse'];
export type GroupRole = components['schemas']['GroupRoleResponse'];
export type Member = components['schemas']['ProjectMemberResponse'];

export interface NewMember {
  readonly email: string;
  readonly role: Role;
}

const PATH = '/api/dashboard/projects';
const projectPath = (id: string) => `${PATH}/${id}`;
const membersPath = (id: string) => `${projectPath(id)}/members`;

/** Refresh interval of the user's projects and roles, which are no events of the feed; milliseconds. */
const REFRESH_MS = 30_000;

/** All projects of the user, the personal one first. */
export const useProjects = () =>
  useQuery({
    queryKey: queryKeys.projects.all,
    queryFn: () => requestAll<Project>(`${PATH}?limit=100`),
    refetchInterval: REFRESH_MS,
  });

/** Every project of the service, for operators. @param text part of the name; null: all */
export const useEverybodysProjects = (text: string | null): LoadedList<Project> => {
  const search = new URLSearchParams({ all: 'true', limit: '100', ...(text !== null && { q: text }) });
  return useList<Project>(queryKeys.projects.everybodys(text), `${PATH}?${search}`, {
    refetchInterval: REFRESH_MS,
  });
};

/** A project; operators may read any. */
export const useAnyProject = (id: string) =>
  useQuery({
    queryKey: queryKeys.projects.one(id),
    queryFn: ({ signal }) => request<ProjectDetail>('GET', projectPath(id), undefined, { signal }),
    refetchInterval: REFRESH_MS,
  });

/** One of the user's projects; undefined: not loaded yet, or the user is no member. */
export function useProject(id: string | null | undefined): Project | undefined {
  return useProjects().data?.find((project) => project.id === id);
}

/** Returns true if the user is a member of any project besides the personal one. */
export const useHasSharedProjects = (): boolean =>
  useProjects().data?.some(({ is_personal }) => !is_personal) === true;

/**
 * Marks as stale what a change of projects or of roles can affect. The mutation does not wait for it: a page whose project
 * is gone would disappear before it could lead elsewhere.
 */
function useRefresh(): () => void {
  const client = useQueryClient();
  return () =>
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] });
}

export function useCreateProject() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ name, key }: { readonly name: string; readonly key: string }) =>
      request<Project>('POST', PATH, { name }, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

export function useRenameProject(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (name: string) => request<Project>('PATCH', projectPath(id), { name }),
    onSuccess: refresh,
  });
}

/** Replaces the groups of the identity provider that give roles. */
export function useChangeGroups(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (groups: readonly GroupRole[]) =>
      request<ProjectDetail>('PATCH', projectPath(id), { groups }),
    onSuccess: refresh,
  });
}

export function useDeleteProject(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => request<void>('DELETE', projectPath(id)),
    onSuccess: refresh,
  });
}

export const useMembers = (projectId: string, enabled = true): LoadedList<Member> =>
  useList<Member>(
    queryKeys.projects.members(projectId),
    `${membersPath(projectId)}?limit=100`,
    { refetchInterval: REFRESH_MS, enabled },
    ({ user_id }) => user_id,
  );

export function useAddMember(projectId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ wanted, key }: { readonly wanted: NewMember; readonly key: string }) =>
      request<Member>('POST', membersPath(projectId), wanted, { idempotencyKey: key }),
    onSuccess: refresh,
  });
}

/** Creates the account of a new member, with a one-time link; operators only. */
export function useInviteMember(projectId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ wanted, key }: { readonly wanted: NewMember; readonly key: string }) =>
      request<Invitation>(
        'POST',
        '/api/dashboard/users',
        { email: wanted.email, projects: [{ project_id: projectId, role: wanted.role }] },
        { idempotencyKey: key },
      ),
    onSuccess: refresh,
  });
}

export function useChangeMember(projectId: string, userId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (role: Role) => request<Member>('PATCH', `${membersPath(projectId)}/${userId}`, { role }),
    onSettled: refresh,
  });
}

/** Removes a member; anybody may remove themselves. */
export function useRemoveMember(projectId: string, userId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `${membersPath(projectId)}/${userId}`),
    onSuccess: refresh,
  });
}
