import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, CreatedApiKey, Scope } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import type { Role } from './projects.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export interface NewApiKey {
  readonly name: string;
  /** The agent whose runtime gets the key; absent: the key is the user's. */
  readonly agent_id?: string;
  /** The project whose own key it is; absent: the key is the user's, or an agent's. */
  readonly project_id?: string;
  /** The role of a project's key. */
  readonly role?: Role;
  /** Rights of a key of the user; absent: all. */
  readonly scopes?: readonly Scope[];
  /** True: an operator's key that also reaches other people's resources. */
  readonly everybody?: boolean;
  /** Days from 1 to 365; absent: it does not expire. */
  readonly expires_in_days?: number;
}

/** Whom keys belong to: people and projects, or agents. */
export type KeyHolder = 'user' | 'agent';

/** Keys of the chosen project, or of the user and of all projects that they maintain. */
export function useApiKeys(kind: KeyHolder, enabled: boolean): LoadedList<ApiKey> {
  const project_id = useChosenProjectId();
  return useList<ApiKey>(
    [...queryKeys.apiKeys, kind, project_id],
    withQuery('/api/api-keys', { limit: 50, kind, project_id }),
    // the last use of a key is not an event of the feed
    { refetchInterval: 30_000, enabled },
  );
}

export function useCreateApiKey() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ wanted, key }: { wanted: NewApiKey; key: string }) =>
      request<CreatedApiKey>('POST', '/api/api-keys', wanted, { idempotencyKey: key }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
}

export function useRotateApiKey(id: string) {
  const client = useQueryClient();
  return useMutation({
    /** @param graceSeconds time for which the old key still works, 0 to 86400 */
    mutationFn: (graceSeconds: number) =>
      request<CreatedApiKey>('POST', `/api/api-keys/${id}/rotate`, { grace_period_seconds: graceSeconds }),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
}

export function useRevokeApiKey(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', `/api/api-keys/${id}`),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
  });
}
