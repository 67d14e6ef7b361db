import type { Deployment } from '@agent-control-plane/client';
import { ApiError, request } from './request.js';

/** Time between two looks at a deployment that is to run; milliseconds. */
const PAUSE_MS = 2_000;

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

/** {@link scaleOnceRunning} of a deployment of the service. It ends with the page. */
export function scaleAfterDeploy(id: string, replicas: number): Promise<boolean> {
  const path = `/api/dashboard/deployments/${id}`;
  return scaleOnceRunning(replicas, {
    read: () => request<Deployment>('GET', path),
    scale: (wanted) => request('POST', `${path}/scale`, { replicas: wanted }),
    pause: () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
  });
}
