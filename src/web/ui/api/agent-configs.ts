import { useQuery } from '@tanstack/react-query';
import type { Agent, AgentConfigVersion, AgentDetail } from '@agent-control-plane/client';
import { type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

const agentPath = (id: string) => `/api/dashboard/agents/${id}`;

/** Saved versions of the agent's config, newest first. */
export function useAgentConfigs(id: string): LoadedList<AgentConfigVersion> {
  return useList<AgentConfigVersion>(
    queryKeys.agents.configs(id),
    withQuery(`${agentPath(id)}/configs`, { limit: 50 }),
    {},
    ({ config_version }) => config_version,
  );
}

/** A config with its secrets is read once, and forgotten as soon as no page shows it: the audit log has each reading. */
const ONCE = { staleTime: 'static', retry: false } as const;
const FORGOTTEN = { gcTime: 0 } as const;

/** The newest config with its secrets. */
export const useRevealedConfig = ({ id, config_version: version }: Agent) =>
  useQuery({
    queryKey: queryKeys.agents.revealed(id, version),
    queryFn: async ({ signal }) =>
      (await request<AgentDetail>('GET', `${agentPath(id)}?reveal=true`, undefined, { signal })).config,
    ...ONCE,
    ...FORGOTTEN,
  });

/** One version of the config. */
export const useAgentConfig = (id: string, version: number, reveals: boolean) =>
  useQuery({
    queryKey: queryKeys.agents.config(id, version, reveals),
    queryFn: async ({ signal }) => {
      const path = withQuery(`${agentPath(id)}/configs/${version}`, reveals ? { reveal: 'true' } : {});
      return (await request<AgentConfigVersion>('GET', path, undefined, { signal })).config;
    },
    ...ONCE,
    ...(reveals && FORGOTTEN),
  });
