import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Session, User } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

/** Open sessions of the user, newest first. */
export const useSessions = (): LoadedList<Session> =>
  // logins are not events of the feed
  useList<Session>(queryKeys.sessions, '/api/auth/sessions?limit=50', { refetchInterval: 30_000 });

/** Ends one session, or with `others` all but the current one. */
export function useEndSession(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      request<void>('DELETE', id === 'others' ? '/api/auth/sessions' : `/api/auth/sessions/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
}

/** Changes the password; all other sessions end. */
export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: { readonly current_password: string; readonly new_password: string }) =>
      request<User>('POST', '/api/auth/password', change),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.sessions }),
  });
}
