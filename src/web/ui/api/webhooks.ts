import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { ApiError, request, withQuery } from './request.js';

export interface WebhookSettings {
  readonly url: string;
  readonly events: Webhook['events'];
  readonly format: Webhook['format'];
  readonly description: string | null;
  /** True: messages about runs have their input and output. */
  readonly include_payloads: boolean;
}

export interface DeliveryFilter {
  readonly event?: string;
  readonly success?: 'true' | 'false';
  readonly since?: string;
  readonly until?: string;
}

export interface TestResult {
  readonly isDelivered: boolean;
  /** The endpoint's answer, or the failure, for a person. */
  readonly message: string;
}

const webhookPath = (id: string) => `/api/webhooks/${id}`;

/** Refresh interval of deliveries, which are not events of the feed; milliseconds. */
const DELIVERIES_REFRESH_MS = 5_000;

export function useWebhooks(): LoadedList<Webhook> {
  const project_id = useChosenProjectId();
  return useList<Webhook>(
    [...queryKeys.webhooks.list, project_id],
    withQuery('/api/webhooks', { limit: 100, project_id }),
    { refetchInterval: 30_000 },
  );
}

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: queryKeys.webhooks.one(id),
    queryFn: ({ signal }) => request<Webhook>('GET', webhookPath(id), undefined, { signal }),
    refetchInterval: 15_000,
  });

/** The whole address. It is read once, because each read is in the audit log, and forgotten when nobody shows it. */
export const useRevealedAddress = (id: string) =>
  useQuery({
    queryKey: queryKeys.webhooks.revealed(id),
    queryFn: async ({ signal }) =>
      (await request<Webhook>('GET', `${webhookPath(id)}?reveal=true`, undefined, { signal })).url,
    staleTime: 'static',
    retry: false,
    gcTime: 0,
  });

export function useCreateWebhook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      wanted,
      key,
    }: {
      wanted: WebhookSettings & { readonly project_id?: string };
      key: string;
    }) => request<WebhookWithSecret>('POST', '/api/webhooks', wanted, { idempotencyKey: key }),
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

/** Rotates the secret. For 24 hours the old one also signs. */
export const useRotateWebhookSecret = (id: string) =>
  useMutation({
    mutationFn: () => request<WebhookWithSecret>('POST', `${webhookPath(id)}/rotate-secret`, {}),
  });

/** Sends a test message now. A refusal by the endpoint is a result, not an error. */
export function useTestWebhook(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<TestResult> => {
      try {
        // a 502 is about the endpoint, not about the service
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

/** The message of a failed test. The service's own 502 names the delivery; any other 502 is a proxy's. */
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
    /** Sends failed messages that are younger than the date again; `has_more`: call it again. */
    mutationFn: (since: Date) =>
      request<{ recovered: number; has_more: boolean }>('POST', `${webhookPath(id)}/recover`, {
        since: since.toISOString(),
      }),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', 'deliveries', id] }),
  });
}
