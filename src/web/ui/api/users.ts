import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { User } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export const useUsers = (): LoadedList<User> =>
  useList<User>(queryKeys.users, '/api/dashboard/users?limit=50');

/** For operators. 409: it would leave the service without one. */
export function useUpdateUser(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: { readonly is_active?: boolean; readonly is_admin?: boolean }) =>
      request<User>('PATCH', `/api/dashboard/users/${id}`, changes),
    onSuccess: (user) => {
      // who has withdrawn their own rights sees the pages of anybody else
      if (client.getQueryData<User | null>(queryKeys.session)?.id === user.id) {
        client.setQueryData(queryKeys.session, user);
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.users }),
  });
}
