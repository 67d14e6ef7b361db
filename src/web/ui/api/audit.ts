import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ApiKey, AuditEntry, Webhook } from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, requestAll, withQuery } from './request.js';

const PATH = '/api/dashboard/audit';
const LARGEST_PAGE = 500;

export interface AuditFilter {
  readonly actor?: string;
  /** An agent, and what belongs to it. */
  readonly agent_id?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Entries, newest first: an operator gets all, other users those about themselves. */
export function useAuditEntries(filter: AuditFilter): LoadedList<AuditEntry> {
  const narrowed = { ...filter, project_id: useChosenProjectId() };
  return useList<AuditEntry>(queryKeys.audit.list(narrowed), withQuery(PATH, { ...narrowed, limit: 100 }));
}

/** Ids of the resources that a user key created. */
export interface MadeByKey {
  readonly agents: readonly string[];
  readonly webhooks: readonly string[];
}

/** The resources that a user key created, by the audit log. */
export const useMadeByKey = (key: ApiKey) =>
  useQuery({
    queryKey: queryKeys.audit.madeBy(key.id),
    enabled: key.agent_id === null,
    queryFn: async (): Promise<MadeByKey> => {
      const targets = async (action: string) => {
        const query = { actor: `key:${key.id}`, action, limit: LARGEST_PAGE };
        const entries = await requestAll<AuditEntry>(withQuery(PATH, query));
        return entries.flatMap(({ target_id: id }) => (id ? [id] : []));
      };
      return { agents: await targets('agent.create'), webhooks: await targets('webhook.create') };
    },
  });

/** Revokes the keys of the agents and deletes the webhooks; those that no longer exist are skipped. */
export function useRevokeMade() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ agents, webhooks }: MadeByKey) => {
      const keys = await requestAll<ApiKey>('/api/api-keys?limit=100');
      for (const { id, agent_id: agentId, is_active: isActive } of keys) {
        if (isActive && agentId !== null && agents.includes(agentId)) {
          await request<void>('DELETE', `/api/api-keys/${id}`);
        }
      }
      for (const { id } of await requestAll<Webhook>('/api/webhooks?limit=100')) {
        if (webhooks.includes(id)) await request<void>('DELETE', `/api/webhooks/${id}`);
      }
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.apiKeys }),
        client.invalidateQueries({ queryKey: queryKeys.webhooks.all }),
      ]),
  });
}
