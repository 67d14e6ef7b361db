import type { Agent } from '@agent-control-plane/client';
import type { Reply } from './find-resource.js';
import { PAGE, type PageOptions, type PageQuery, readPages, type Listed } from './paging.js';

type State = Agent['health']['state'];

/** The states of health, the worst first. */
export const BY_HEALTH = [
  'failing',
  'degraded',
  'offline',
  'progressing',
  'paused',
  'idle',
  'healthy',
] as const satisfies State[];

/**
 * Reads the requested part of a list that begins with the agents in the worst state, which the service does not sort by: state by
 * state, until there are enough.
 */
export async function readByHealth(
  { limit, skip }: PageOptions,
  states: readonly State[],
  read: (query: PageQuery & { readonly health: State }) => Promise<Reply<Agent>>,
): Promise<Listed<Agent>> {
  const items = new Map<string, Agent>();
  for (const health of states) {
    const missing = skip + limit + 1 - items.size;
    if (missing <= 0) break;
    const found = await readPages({ limit: missing, skip: 0 }, PAGE.resources, (query) =>
      read({ ...query, health }),
    );
    for (const agent of found.items) items.set(agent.id, agent);
  }
  const all = [...items.values()];
  return { items: all.slice(skip, skip + limit), hasMore: all.length > skip + limit };
}
