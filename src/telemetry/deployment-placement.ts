import { InvalidError } from '../errors/domain-error.js';
import type { SubmittedEntry } from './submission.js';

/** What an agent's entries may belong to. */
export interface PlacementTargets {
  /** Of the deployments that were mentioned, those that are the agent's. */
  readonly owned: ReadonlySet<string>;
  /** The agent's only active deployment; null where it has none, or several. */
  readonly soleActive: string | null;
}

export function mentionedDeployments(entries: readonly SubmittedEntry[]): string[] {
  const mentioned = entries.flatMap(({ deploymentId }) => (deploymentId === null ? [] : [deploymentId]));
  return [...new Set(mentioned)];
}

/**
 * The deployment of each entry: the one it names, else the agent's only active one, else none. Pure.
 *
 * @throws InvalidError naming each entry whose deployment is not the agent's
 */
export function placeInDeployments(
  entries: readonly SubmittedEntry[],
  { owned, soleActive }: PlacementTargets,
): (string | null)[] {
  const strays = entries.filter(({ deploymentId }) => deploymentId !== null && !owned.has(deploymentId));
  if (strays.length > 0) {
    throw new InvalidError(
      strays.map(({ path }) => `${path}deployment_id must be a deployment of this agent`),
    );
  }
  return entries.map(({ deploymentId }) => deploymentId ?? soleActive);
}
