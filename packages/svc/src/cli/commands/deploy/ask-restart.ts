import { type Deployment, unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';

/** Returns true if a restart of the deployment replaces its replicas one after another. Pure. */
export function restartsRolling({ status }: Pick<Deployment, 'status'>): boolean {
  return status === 'running' || status === 'ready';
}

/** Asks for a restart: a rolling one of a deployment that runs. @throws ServiceError */
export function askRestart(
  context: Context,
  deployment: Pick<Deployment, 'id' | 'status'>,
): Promise<Deployment> {
  const params = { path: { deployment_id: deployment.id } };
  const service = context.service();
  return unwrap(
    restartsRolling(deployment)
      ? service.POST('/deployments/{deployment_id}/rolling-restart', { params })
      : service.POST('/deployments/{deployment_id}/restart', { params }),
  );
}
