import type { Deployment } from '@agent-control-plane/client';

export type DeploymentStatus = Deployment['status'];
export type DeploymentAction = 'scale' | 'stop' | 'restart' | 'kill';

const ALLOWED: Readonly<Record<DeploymentAction, readonly DeploymentStatus[]>> = {
  scale: ['running', 'ready'],
  stop: ['deploying', 'running', 'ready'],
  /** A rolling one while it runs. */
  restart: ['running', 'ready', 'stopped', 'failed'],
  kill: ['deploying', 'running', 'ready', 'stopped', 'failed'],
};

const KILLED = 'It was deleted, so it can’t be changed. Deploy the agent again to get a new deployment.';

/** Reasons why an action is not allowed in a status, or what to do instead. */
const REFUSALS: Readonly<Record<DeploymentAction, Partial<Record<DeploymentStatus, string>>>> = {
  scale: {
    deploying: 'It is still being deployed. It can be scaled once its runtime reports it as running.',
    stopped: 'It is stopped. Restart it before you scale it.',
    failed: 'It has failed. Restart it before you scale it.',
  },
  stop: {
    stopped: 'It is already stopped.',
    failed: 'It has failed, so there is nothing to stop.',
  },
  restart: {
    deploying: 'It is still being deployed. It can be restarted once its runtime reports it as running.',
  },
  kill: {},
};

/**
 * The reason why the lifecycle does not allow an action in a status (docs/lifecycle.md); null if it does. The service
 * decides; this only saves a request that it would refuse.
 */
export function refusalOf(action: DeploymentAction, status: DeploymentStatus): string | null {
  if (ALLOWED[action].includes(status)) return null;
  return status === 'killed' ? KILLED : (REFUSALS[action][status] ?? `Not while it is ${status}.`);
}
