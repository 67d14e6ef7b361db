import type { Deployment } from '../../../client/models.js';

export type DeploymentStatus = Deployment['status'];

export const DEPLOYMENT_STATUSES: readonly DeploymentStatus[] = [
  'deploying',
  'running',
  'ready',
  'stopped',
  'failed',
  'killed',
];
