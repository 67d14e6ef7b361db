import type { Deployment } from '@agent-control-plane/client';

export type DeploymentStatus = Deployment['status'];

export const DEPLOYMENT_STATUSES: readonly DeploymentStatus[] = [
  'deploying',
  'running',
  'ready',
  'stopped',
  'failed',
  'killed',
];
