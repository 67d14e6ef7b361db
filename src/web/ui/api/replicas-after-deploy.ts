import type { Deployment } from '@agent-control-plane/client';
import { isActive } from '../components/lifecycle.js';
import { ApiError, request } from './request.js';

/** Minimum time between two looks at a deployment that is to run; milliseconds. */
const PAUSE_MS = 2_000;
/** Minimum time between two looks at any deployment, on average, where a page waits for many; milliseconds. */
const SHARE_MS = 200;

/** The replicas that a new deployment needs to do the work of those that it replaces, one at least. Pure. */
export const replicasToKeep = (deployments: readonly Pick<Deployment, 'status' | 'replicas'>[]): number =>
  Math.max(
    1,
    deployments.filter(isActive).reduce((sum, { replicas }) => sum + replicas, 0),
  );

export interface Calls {
  readonly read: () => Promise<Deployment>;
  readonly scale: (replicas: number) => Promise<unknown>;
  readonly pause: () => Promise<void>;
}

/**
 * Asks for a number of replicas as soon as a deployment runs: it starts with one, and the service scales none that does not run. It
 * waits through outages of the service.
 *
 * @returns false if the deployment has ended before it ran
 * @throws ApiError when the service refuses
 */
export async function scaleOnceRunning(replicas: number, { read, scale, pause }: Calls): Promise<boolean> {
  for (;;) {
    try {
      const { status } = await read();
      if (status === 'failed' || status === 'stopped' || status === 'killed') return false;
      if (status !== 'deploying') {
        await scale(replicas);
        return true;
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.isAway)) throw error;
    }
    await pause();
  }
}

/** Number of deployments that this page waits for. */
let waiting = 0;

/** {@link scaleOnceRunning} of a deployment of the service. It ends with the page. */
export async function scaleAfterDeploy(id: string, replicas: number): Promise<boolean> {
  const path = `/api/dashboard/deployments/${id}`;
  waiting += 1;
  try {
    return await scaleOnceRunning(replicas, {
      read: () => request<Deployment>('GET', path),
      scale: (wanted) => request('POST', `${path}/scale`, { replicas: wanted }),
      pause: () => new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, waiting * SHARE_MS))),
    });
  } finally {
    waiting -= 1;
  }
}
