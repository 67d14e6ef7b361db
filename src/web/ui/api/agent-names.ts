import { type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import type { Agent } from '@agent-control-plane/client';
import { shortId } from '../components/short-id.js';
import { useChosenProjectId } from './chosen-project.js';
import { queryKeys } from './query-keys.js';
import { request, requestPage, withQuery } from './request.js';

/** Number of agents in the list of options; a person types to find others. */
const OFFERED = 20;

const PATH = '/api/dashboard/agents';

export interface NamedAgent {
  readonly id: string;
  readonly name: string;
}

export interface FoundAgents {
  readonly agents: readonly NamedAgent[];
  /** True if no other agent matches. */
  readonly isAll: boolean;
}

const nameOf = (id: string) =>
  queryOptions({
    queryKey: queryKeys.agentNames.one(id),
    queryFn: async ({ signal }) =>
      (await request<NamedAgent>('GET', `${PATH}/${id}`, undefined, { signal })).name,
    // a name changes rarely, and a change made here marks it as stale
    staleTime: Infinity,
    enabled: id !== '',
  });

interface Wanted {
  readonly q: string;
  readonly limit: number;
  readonly project_id: string | undefined;
}

async function findAgents(wanted: Wanted, client: QueryClient, signal: AbortSignal): Promise<FoundAgents> {
  // Sorted by name for a search: the agent with exactly that name then precedes those whose names only begin with it.
  const path = withQuery(PATH, { ...wanted, ...(wanted.q !== '' && { sort: 'name' }) });
  const { rows, next } = await requestPage<Agent>(path, { signal });
  const agents = rows.map(({ id, name }) => ({ id, name }));
  // The names are cached, so that a chosen agent need not be read again.
  for (const { id, name } of agents) client.setQueryData(queryKeys.agentNames.one(id), name);
  return { agents, isAll: next === null };
}

/** The first of the caller's agents that match a text; the newest ones if it is empty. @param limit at most 100 */
export function useFoundAgents(q: string, enabled: boolean, limit = OFFERED) {
  const wanted = { q, limit, project_id: useChosenProjectId() };
  return useQuery({
    queryKey: queryKeys.agentNames.found(wanted),
    queryFn: ({ client, signal }) => findAgents(wanted, client, signal),
    enabled,
  });
}

/** The name of an agent until it is loaded, and of a removed agent. */
const standIn = (id: string) => `agent ${shortId(id)}`;

/**
 * Agents with their names. A name that is not cached is read by the agent's id.
 *
 * @param ids each once
 * @returns the same array as long as ids and names are the same
 */
export function useNamedAgents(ids: readonly string[]): readonly NamedAgent[] {
  return useQueries({
    queries: ids.map(nameOf),
    combine: (results) => ids.map((id, index) => ({ id, name: results[index]?.data ?? standIn(id) })),
  });
}

/**
 * An agent's name; the end of its id until it is loaded, and for a removed agent.
 *
 * @param isSeen false: the name is not read yet
 */
export function useAgentName(id: string, isSeen: boolean): string {
  const { data } = useQuery({ ...nameOf(id), enabled: isSeen });
  return data ?? standIn(id);
}
