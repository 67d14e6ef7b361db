import type { AgentDetail } from '@agent-control-plane/client';
import { deployAgain } from '../api/agent-acts.js';
import { replicasToKeep, scaleAfterDeploy } from '../api/replicas-after-deploy.js';
import { request } from '../api/request.js';
import { showFailure } from './announce.js';

/**
 * Scales a new deployment once it runs, because the service starts it with one replica, whatever ran before. A failure is shown.
 *
 * @returns true if it was scaled
 */
export async function keepReplicas(agentName: string, id: string, replicas: number): Promise<boolean> {
  if (replicas === 1) return false;
  try {
    return await scaleAfterDeploy(id, replicas);
  } catch (error) {
    showFailure(`${agentName} runs with one replica, not ${replicas}`, error);
    return false;
  }
}

/** Deploys the newest config of an agent with as many replicas as it replaces, which follow once the deployment runs. */
export async function deployWithItsReplicas(agentId: string): Promise<void> {
  const { name, deployments } = await request<AgentDetail>('GET', `/api/dashboard/agents/${agentId}`);
  const { id } = await deployAgain(agentId);
  void keepReplicas(name, id, replicasToKeep(deployments));
}
