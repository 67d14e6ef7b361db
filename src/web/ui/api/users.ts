import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { User } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export const useUsers = (): LoadedList<User> =>
  useList<User>(queryKeys.users, '/api/dashboard/users?limit=50');

/** Changes a user; operators only. 409: the last active operator can't be removed. */
export function useUpdateUser(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: { readonly is_active?: boolean; readonly is_admin?: boolean }) =>
      request<User>('PATCH', `/api/dashboard/users/${id}`, changes),
    onSuccess: (user) => {
      // an operator who has removed their own rights now sees the pages of an ordinary user
      if (client.getQueryData<User | null>(queryKeys.session)?.id === user.id) {
        client.setQueryData(queryKeys.session, user);
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}
