import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { ApiError, request, withQuery } from './request.js';

export interface WebhookSettings {
  readonly url: string;
  readonly events: Webhook['events'];
  readonly description: string | null;
}

export interface DeliveryFilter {
  readonly event?: string;
  readonly success?: 'true' | 'false';
}

export interface TestResult {
  readonly isDelivered: boolean;
  /** What the endpoint answered, or what went wrong, for a person. */
  readonly message: string;
}

const webhookPath = (id: string) => `/api/webhooks/${id}`;

/** Deliveries are no events of the feed. */
const DELIVERIES_REFRESH_MS = 5_000;

export const useWebhooks = (): LoadedList<Webhook> =>
  useList<Webhook>(queryKeys.webhooks.list, '/api/webhooks?limit=100', { refetchInterval: 30_000 });

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: queryKeys.webhooks.one(id),
    queryFn: ({ signal }) => request<Webhook>('GET', webhookPath(id), undefined, { signal }),
    refetchInterval: 15_000,
  });

export function useCreateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ wanted, key }: { wanted: WebhookSettings; key: string }) =>
      request<WebhookWithSecret>('POST', '/api/webhooks', wanted, { idempotencyKey: key }),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.webhooks.list }),
  });
}

export function useUpdateWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (changes: Partial<WebhookSettings> & { readonly is_active?: boolean }) =>
      request<Webhook>('PATCH', webhookPath(id), changes),
    onSuccess: (webhook) => client.setQueryData(queryKeys.webhooks.one(id), webhook),
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.webhooks.all }),
  });
}

export function useDeleteWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', webhookPath(id)),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.webhooks.list }),
  });
}

/** The old secret still signs beside the new one for 24 hours. */
export const useRotateWebhookSecret = (id: string) =>
  useMutation({
    mutationFn: () => request<WebhookWithSecret>('POST', `${webhookPath(id)}/rotate-secret`, {}),
  });

/** One attempt, now. That the endpoint does not take it is a result, not an error of this side. */
export function useTestWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<TestResult> => {
      try {
        // a 502 speaks of the endpoint, which says nothing of the service
        const path = `${webhookPath(id)}/test`;
        const { message } = await request<{ message: string }>('POST', path, undefined, { isProbe: true });
        return { isDelivered: true, message };
      } catch (error) {
        const told = refusedTest(error);
        if (told === null) throw error;
        return { isDelivered: false, message: told };
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', id] }),
  });
}

/** What the service tells of a test that failed names the delivery; a 502 that does not is somebody else's. */
function refusedTest(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.status !== 502) return null;
  const [, told] = /^(.*) \(delivery [0-9a-f-]{36}\)$/s.exec(error.message) ?? [];
  return told ?? null;
}

export const useDeliveries = (id: string, filter: DeliveryFilter): LoadedList<WebhookDelivery> =>
  useList<WebhookDelivery>(
    queryKeys.webhooks.deliveries(id, filter),
    withQuery(`${webhookPath(id)}/deliveries`, { ...filter, limit: 50 }),
    { refetchInterval: DELIVERIES_REFRESH_MS },
  );

export function useRedeliver(webhookId: string, deliveryId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      request<WebhookDelivery>('POST', `${webhookPath(webhookId)}/deliveries/${deliveryId}/redeliver`),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', webhookId] }),
  });
}

export function useRecoverWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    /** Sends again what has failed since then; `has_more`: ask again. */
    mutationFn: (since: Date) =>
      request<{ recovered: number; has_more: boolean }>('POST', `${webhookPath(id)}/recover`, {
        since: since.toISOString(),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', id] }),
  });
}
