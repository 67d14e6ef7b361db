import { type AgentDetail, type Deployment, unwrap } from '@agent-control-plane/client';
import type { Context } from './context.js';

/** An agent with its latest deployments. @throws ServiceError */
export function readAgent(context: Context, agentId: string): Promise<AgentDetail> {
  return unwrap(context.service().GET('/agents/{agent_id}', { params: { path: { agent_id: agentId } } }));
}

/** @throws ServiceError */
export function readDeployment(context: Context, deploymentId: string): Promise<Deployment> {
  const path = { deployment_id: deploymentId };
  return unwrap(context.service().GET('/deployments/{deployment_id}', { params: { path } }));
}
