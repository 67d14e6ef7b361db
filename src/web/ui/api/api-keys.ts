import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, CreatedApiKey } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

export interface NewApiKey {
  readonly name: string;
  /** Set: a key of this agent's runtime; absent: one of the person. */
  readonly agent_id?: string;
  /** 1 to 365; absent: until it is revoked. */
  readonly expires_in_days?: number;
}

export const useApiKeys = (): LoadedList<ApiKey> =>
  // when one was last used is no event of the feed
  useList<ApiKey>(queryKeys.apiKeys, '/api/api-keys?limit=50', { refetchInterval: 30_000 });

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
    /** @param graceSeconds for how long the old key still works, 0 to 86400 */
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
