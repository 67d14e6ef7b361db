import { useQuery } from '@tanstack/react-query';
import type { Agent } from '@agent-control-plane/client';
import { shortId } from '../components/short-id.js';
import { useAgent } from './agents.js';
import { type Page, requestPage } from './request.js';

/** Most agents that are read as a list, a hundred at a time; further ones of a larger fleet are read one by one. */
const MOST = 500;

export interface NamedAgent {
  readonly id: string;
  readonly name: string;
}

async function readNames(signal: AbortSignal): Promise<NamedAgent[]> {
  const agents: NamedAgent[] = [];
  let path: string | null = '/api/dashboard/agents?limit=100';
  while (path !== null && agents.length < MOST) {
    const page: Page<Agent> = await requestPage<Agent>(path, { signal });
    agents.push(...page.rows.map(({ id, name }) => ({ id, name })));
    path = page.next;
  }
  return agents;
}

/** The caller's agents, to choose one from or to name them in lists; newest first. */
export const useAgentNames = () =>
  useQuery({
    queryKey: ['agents', 'names'],
    queryFn: ({ signal }) => readNames(signal),
    staleTime: 60_000,
  });

/** An agent's name; until it is loaded, and for a removed agent, the end of its id. */
export function useAgentName(id: string): string {
  const { data: agents } = useAgentNames();
  const listed = agents?.find((agent) => agent.id === id)?.name;
  const { data: single } = useAgent(agents !== undefined && listed === undefined ? id : '', Infinity);
  return listed ?? single?.name ?? `agent ${shortId(id)}`;
}
