import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  Agent,
  AgentConfigVersion,
  AgentDetail,
  CreatedAgent,
  CreatedApiKey,
  Deployment,
} from '@agent-control-plane/client';
import { useChosenProjectId } from './chosen-project.js';
import { type ListOptions, type LoadedList, useList } from './lists.js';
import { queryKeys } from './query-keys.js';
import { request, withQuery } from './request.js';

export type HealthState = Agent['health']['state'];
export type Connected = Agent['connection'];

export interface AgentFilter {
  readonly health?: HealthState;
  readonly connection?: Connected;
  readonly q?: string;
  readonly type?: string;
  readonly label?: string;
  readonly sort?: string;
}

export interface NewAgent {
  /** Absent: the personal project. */
  readonly project_id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly type?: string;
  /** A JSON document. */
  readonly config?: string;
}

const agentPath = (id: string) => `/api/dashboard/agents/${id}`;

/** Refresh interval of heartbeats, which are not events of the feed; milliseconds. */
export const HEARTBEAT_REFRESH_MS = 10_000;

export function useAgents(filter: AgentFilter = {}, options?: ListOptions): LoadedList<Agent> {
  const narrowed = { ...filter, project_id: useChosenProjectId() };
  return useList<Agent>(
    queryKeys.agents.list(narrowed),
    withQuery('/api/dashboard/agents', { ...narrowed, limit: 100 }),
    options,
  );
}

export const useAgent = (id: string, refetchInterval = HEARTBEAT_REFRESH_MS) =>
  useQuery({
    queryKey: queryKeys.agents.one(id),
    queryFn: ({ signal }) => request<AgentDetail>('GET', agentPath(id), undefined, { signal }),
    refetchInterval,
    enabled: id !== '',
  });

/** Marks the data as stale that a new or changed agent affects. */
const refreshAgents = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: queryKeys.agents.all }),
    client.invalidateQueries({ queryKey: queryKeys.agentNames.all }),
  ]);

export function useCreateAgent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ agent, key }: { agent: NewAgent; key: string }) =>
      request<CreatedAgent>('POST', '/api/dashboard/agents', agent, { idempotencyKey: key }),
    onSuccess: () => refreshAgents(client),
  });
}

export interface DeployRequest {
  readonly replaces: 'none' | 'active';
  /** Absent: the newest. */
  readonly config_version?: number;
}

/** Absent properties keep their values. */
export interface AgentChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly type?: string;
  /** A JSON document. */
  readonly config?: string;
}

export function useUpdateAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ change, ifConfigVersion }: { change: AgentChange; ifConfigVersion: number }) =>
      request<Agent>('PATCH', agentPath(id), change, { ifConfigVersion }),
    onSuccess: () => refreshAgents(client),
  });
}

/** Changes settings of the agent, which are no part of its config. */
export function useChangeSettings(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (settings: Partial<Pick<Agent, 'capture' | 'on_loop'>>) =>
      request<Agent>('PATCH', agentPath(id), settings),
    onSuccess: () => refreshAgents(client),
  });
}

/** Hands the agent over to another project, with all that belongs to it. */
export function useMoveAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (projectId: string) => request<Agent>('PATCH', agentPath(id), { project_id: projectId }),
    // also its deployments and keys say another project now
    onSuccess: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.session[0] }),
  });
}

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

export function useDeployAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ deploy, key }: { deploy: DeployRequest; key: string }) =>
      request<Deployment>('POST', `${agentPath(id)}/deploy`, deploy, { idempotencyKey: key }),
    onSuccess: async (deployment) => {
      client.setQueryData(queryKeys.deployments.one(deployment.id), deployment);
      await client.invalidateQueries({ queryKey: queryKeys.agents.all });
    },
  });
}

/**
 * Deploys the newest config and replaces active deployments, for actions on many agents. A repeated call creates
 * another deployment.
 */
export const deployAgain = (id: string) =>
  request<Deployment>('POST', `${agentPath(id)}/deploy`, { replaces: 'active' });

export const stopAgent = (id: string) => request<{ stopped: number }>('POST', `${agentPath(id)}/stop`);

/** Stops the agent and all its deployments. */
export function useStopAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => stopAgent(id),
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: queryKeys.agents.all }),
        client.invalidateQueries({ queryKey: queryKeys.deployments.all }),
      ]),
  });
}

export function useDeleteAgent(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => request<void>('DELETE', agentPath(id)),
    onSuccess: () => {
      client.removeQueries({ queryKey: queryKeys.agents.one(id) });
      void client.invalidateQueries({ queryKey: ['agents', 'list'] });
      void client.invalidateQueries({ queryKey: queryKeys.agentNames.all });
      void client.invalidateQueries({ queryKey: queryKeys.deployments.all });
    },
  });
}

/** Creates another key for the agent's runtime, if the first one is lost. */
export const useCreateAgentKey = (agentId: string) =>
  useMutation({
    mutationFn: ({ name, key }: { name: string; key: string }) =>
      request<CreatedApiKey>('POST', '/api/api-keys', { name, agent_id: agentId }, { idempotencyKey: key }),
  });
