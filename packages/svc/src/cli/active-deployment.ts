import type { Deployment } from '@agent-control-plane/client';

/** Returns true for a deployment that has not ended. Pure. */
export function isActive({ status }: Pick<Deployment, 'status'>): boolean {
  return ['deploying', 'running', 'ready'].includes(status);
}
