import type { Deployment } from '../models.js';
import type { Assignment } from './desired-state.js';
import type { RuntimeState } from './runtime-state.js';

/** A registration lists only this many of the newest deployments; older ones are unknown. */
const LISTED_AT_MOST = 100;

/** A difference between a deployment here and in the service. */
export type Correction =
  | { readonly phase: 'stopped' | 'killed' }
  | {
      readonly phase: 'running';
      readonly generation: number;
      readonly replicas: number;
      /** True if it was started for a generation that the service no longer knows. */
      readonly isRestart: boolean;
    };

/**
 * Compares the deployments here with those in a registration's reply. A service whose database was restored from a
 * backup has older generations than it has sent: these are lowered here too, or its next commands would count as
 * outdated.
 *
 * @param told the generations that were known when the registration was sent; later ones may be newer than its reply
 */
export function correctionsOf(
  state: RuntimeState,
  listed: readonly Deployment[],
  told: ReadonlyMap<string, number>,
): [deploymentId: string, Correction][] {
  const corrections = listed.flatMap(({ id, status, generation, replicas }) => {
    const here = state.assignment(id);
    if (!here) return [];
    const hasFallen = generation < (told.get(id) ?? 0);
    if (hasFallen) state.assign(id, takenBack(here, generation));
    if (status === 'killed' || (isRunning(status) && here.phase === 'stopped')) forgetEnded(state, id);
    const hasEnded = status === 'stopped' || status === 'killed';
    if (here.phase !== 'running' || (here.generation > generation && !hasFallen)) return [];
    if (!hasEnded && !hasFallen) return [];
    const isRestart = here.startGeneration > generation;
    const correction: Correction = hasEnded
      ? { phase: status }
      : { phase: 'running', generation, replicas, isRestart };
    return [[id, correction] as [string, Correction]];
  });
  const isListed = new Set(listed.map(({ id }) => id));
  const unknown = listed.length < LISTED_AT_MOST ? [...told.keys()].filter((id) => !isListed.has(id)) : [];
  for (const id of unknown) forgetEnded(state, id);
  const running = unknown.filter((id) => state.assignment(id));
  return [...corrections, ...running.map((id): [string, Correction] => [id, { phase: 'killed' }])];
}

function isRunning(status: Deployment['status']): boolean {
  return status === 'running' || status === 'ready';
}

/**
 * No command comes any more for what the service has as killed, does not know, or has as running after it lost the
 * command that stopped it. What runs here is ended before it is forgotten; deployments that are unknown here and run
 * in the service are then reported as failed.
 */
function forgetEnded(state: RuntimeState, id: string): void {
  const here = state.assignment(id);
  if (here && here.phase !== 'running') state.assign(id, undefined);
}

/**
 * The assignment with a lower generation. Undefined if it was stopped or has failed, because the state at that
 * generation is unknown.
 */
function takenBack(here: Assignment, generation: number): Assignment | undefined {
  if (here.phase !== 'running') return undefined;
  return {
    ...here,
    generation,
    startGeneration: Math.min(here.startGeneration, generation),
    observedGeneration: Math.min(here.observedGeneration, generation),
  };
}
