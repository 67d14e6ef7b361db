import type { Deployment } from '@agent-control-plane/client';

/** The status, or `progressing`: after a scale the status stays `ready` until the runtime reports all replicas. */
export function phaseOf(deployment: Deployment): Deployment['status'] | 'progressing' {
  const { status, ready_replicas, replicas, generation, observed_generation } = deployment;
  const isOnItsWay = ready_replicas < replicas || (observed_generation ?? generation) < generation;
  return status === 'ready' && isOnItsWay ? 'progressing' : status;
}

/** Returns true if a deployment is meant to run (docs/lifecycle.md). */
export const isActive = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'deploying' || status === 'running' || status === 'ready';
