import type { Deployment } from '@agent-control-plane/client';
import { replicasToKeep, scaleOnceRunning } from './replicas-after-deploy.js';
import { ApiError } from './request.js';

/** A deployment with these states, one for each look at it, and the replicas that were asked for. */
function staged(...states: readonly (Deployment['status'] | Error)[]) {
  const asked: number[] = [];
  let looks = 0;
  const calls = {
    read: () => {
      const state = states[looks++]!;
      return state instanceof Error
        ? Promise.reject(state)
        : Promise.resolve({ status: state } as Deployment);
    },
    scale: (replicas: number) => Promise.resolve(asked.push(replicas)),
    pause: () => Promise.resolve(),
  };
  return { asked, calls };
}

describe('A deployment that keeps its replicas', () => {
  it('has the sum of the replaced ones, and one at least', () => {
    const of = (status: Deployment['status'], replicas: number) => ({ status, replicas });
    expect(replicasToKeep([of('ready', 3), of('running', 2), of('killed', 9)])).toBe(5);
    expect(replicasToKeep([of('ready', 0)])).toBe(1);
    expect(replicasToKeep([])).toBe(1);
  });

  it('is scaled once it runs, and not before', async () => {
    const { asked, calls } = staged('deploying', 'deploying', 'running');
    expect(await scaleOnceRunning(3, calls)).toBe(true);
    expect(asked).toEqual([3]);
  });

  it('is not scaled when it has failed', async () => {
    const { asked, calls } = staged('deploying', 'failed');
    expect(await scaleOnceRunning(3, calls)).toBe(false);
    expect(asked).toEqual([]);
  });

  it('is waited for while the service is away, and no longer when the service refuses', async () => {
    const away = staged(new ApiError(0, ['not reached']), 'ready');
    expect(await scaleOnceRunning(2, away.calls)).toBe(true);
    const refused = staged(new ApiError(403, ['no role'], undefined, undefined, [], 'missing_role'));
    await expect(scaleOnceRunning(2, refused.calls)).rejects.toThrow('no role');
  });
});
