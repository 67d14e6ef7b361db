import {
  type AgentConfigVersion,
  type AgentDetail,
  type AgentQuotas,
  type Approval,
  type Deployment,
  type Run,
  unwrap,
} from '@agent-control-plane/client';
import type { Context } from './context.js';

/** An agent with its latest deployments. @param reveals true: with the secrets of its config. @throws ServiceError */
export function readAgent(context: Context, agentId: string, reveals = false): Promise<AgentDetail> {
  const path = { agent_id: agentId };
  return unwrap(context.service().GET('/agents/{agent_id}', { params: { path, query: revealing(reveals) } }));
}

/** Reads how much an agent and its project have used of today's quotas. @throws ServiceError */
export function readQuotas(context: Context, agentId: string): Promise<AgentQuotas> {
  return unwrap(
    context.service().GET('/agents/{agent_id}/quotas', { params: { path: { agent_id: agentId } } }),
  );
}

/** A version of an agent's config. @throws ServiceError */
export function readConfig(
  context: Context,
  agentId: string,
  configVersion: number,
  reveals: boolean,
): Promise<AgentConfigVersion> {
  const path = { agent_id: agentId, config_version: configVersion };
  return unwrap(
    context
      .service()
      .GET('/agents/{agent_id}/configs/{config_version}', { params: { path, query: revealing(reveals) } }),
  );
}

function revealing(reveals: boolean): { reveal?: true } {
  return reveals ? { reveal: true } : {};
}

/** @throws ServiceError */
export function readDeployment(context: Context, deploymentId: string): Promise<Deployment> {
  const path = { deployment_id: deploymentId };
  return unwrap(context.service().GET('/deployments/{deployment_id}', { params: { path } }));
}

/** @throws ServiceError */
export function readApproval(context: Context, approvalId: string): Promise<Approval> {
  const path = { approval_id: approvalId };
  return unwrap(context.service().GET('/approvals/{approval_id}', { params: { path } }));
}

/** @param wait maximum time to wait for its end; seconds. Absent: it is read at once. @throws ServiceError */
export function readRun(context: Context, runId: string, wait?: number): Promise<Run> {
  const params = { path: { run_id: runId }, query: wait === undefined ? {} : { wait } };
  return unwrap(context.service().GET('/runs/{run_id}', { params }));
}
