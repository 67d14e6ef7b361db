import { unwrap } from '@agent-control-plane/client';
import type { Context } from '../../context.js';

/** The number of a deployment's newest event, after which the events of the next request come. */
export async function newestEvent(context: Context, deploymentId: string): Promise<string> {
  const { total } = await unwrap(
    context.service().GET('/deployments/{deployment_id}/events', {
      params: { path: { deployment_id: deploymentId }, query: { limit: 1 } },
    }),
  );
  // without a filter the total is the highest number
  return String(total);
}
