import type { Deployment } from '@agent-control-plane/client';

/** Whether a deployment is meant to run (docs/lifecycle.md). */
export const isActive = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'deploying' || status === 'running' || status === 'ready';
