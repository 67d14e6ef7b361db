import type { Context } from '../../context.js';
import { ALL_PAGES, PAGE, readPages } from '../../paging.js';

/** Ids of the resources that a user key created. */
export interface MadeByKey {
  readonly agents: readonly string[];
  readonly webhooks: readonly string[];
}

/** Reads from the audit log what a user key created. An agent's key can create nothing. */
export async function madeByKey(context: Context, keyId: string): Promise<MadeByKey> {
  const targets = async (action: 'agent.create' | 'webhook.create') => {
    const { items } = await readPages(ALL_PAGES, PAGE.records, (part) =>
      context.service().GET('/audit', { params: { query: { actor: `key:${keyId}`, action, ...part } } }),
    );
    return items.flatMap(({ target_id: id }) => (id ? [id] : []));
  };
  return { agents: await targets('agent.create'), webhooks: await targets('webhook.create') };
}

/**
 * Revokes the keys of the agents and deletes the webhooks. The agents stay, and get new keys from their owner. A
 * webhook that no longer exists is skipped.
 */
export async function revokeMade(context: Context, { agents, webhooks }: MadeByKey): Promise<void> {
  const service = context.service();
  const { items: keys } = await readPages(ALL_PAGES, PAGE.resources, (query) =>
    service.GET('/api-keys', { params: { query } }),
  );
  for (const { id, agent_id: agentId, is_active: isActive } of keys) {
    if (isActive && agentId !== null && agents.includes(agentId)) {
      await service.DELETE('/api-keys/{key_id}', { params: { path: { key_id: id } } });
    }
  }
  const { items: present } = await readPages(ALL_PAGES, PAGE.resources, (query) =>
    service.GET('/webhooks/', { params: { query } }),
  );
  for (const { id } of present.filter((webhook) => webhooks.includes(webhook.id))) {
    await service.DELETE('/webhooks/{webhook_id}', { params: { path: { webhook_id: id } } });
  }
}
