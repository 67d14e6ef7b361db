import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Agent, CreatedAgent, CreatedApiKey, Deployment } from '@agent-control-plane/client';
import { queryKeys } from './query-keys.js';
import { request } from './request.js';

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
    mutationFn: (settings: Partial<Pick<Agent, 'capture' | 'on_loop' | 'usage_from'>>) =>
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
