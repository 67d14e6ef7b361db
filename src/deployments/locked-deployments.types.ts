import type { LockedAgent } from '../agents/agent.types.js';
import type { DeploymentEntity } from './deployment.entity.js';

/** A deployment and its agent, both locked by the transaction. */
export interface LockedDeployment {
  readonly agent: LockedAgent;
  readonly deployment: DeploymentEntity;
}

/** An agent and its active deployments, all locked by the transaction. */
export interface LockedActive {
  readonly agent: LockedAgent;
  readonly active: readonly DeploymentEntity[];
}
