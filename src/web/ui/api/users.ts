import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Invitation, User } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export const useUsers = (): LoadedList<User> =>
  useList<User>(queryKeys.users, '/api/dashboard/users?limit=50');

export interface UserChanges {
  readonly is_active?: boolean;
  readonly is_admin?: boolean;
  /** With `is_active: false`: stops the user's agents, too. */
  readonly stop_agents?: boolean;
}

/** Creates an account with a one-time link; operators only. */
export function useInviteUser() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ wanted, key }: { wanted: { email: string; name?: string }; key: string }) =>
      request<Invitation>('POST', '/api/dashboard/users', wanted, { idempotencyKey: key }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}

/** Makes a one-time link for a new password; operators only. */
export function useCreatePasswordReset(id: string) {
  return useMutation({
    mutationFn: () => request<Invitation>('POST', `/api/dashboard/users/${id}/password-reset`),
  });
}

/** Changes a user; operators only. 409: the last active operator can't be removed. */
export function useUpdateUser(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: UserChanges) => request<User>('PATCH', `/api/dashboard/users/${id}`, changes),
    onSuccess: (user) => {
      // an operator who has removed their own rights now sees the pages of an ordinary user
      if (client.getQueryData<User | null>(queryKeys.session)?.id === user.id) {
        client.setQueryData(queryKeys.session, user);
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}

/** Deletes a user; operators only. 409: agents are left, or a project or the service would have no owner or operator. */
export function useDeleteUser(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `/api/dashboard/users/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}

/** Removes all second factors of a user, whose sessions end; operators only. */
export function useRemoveFactors(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `/api/dashboard/users/${id}/factors`),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}
