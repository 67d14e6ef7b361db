import { InvalidError } from '../errors/domain-error.js';
import type { SubmittedEntry } from './submission.js';

/** The deployments that entries name, each once. */
export function mentionedDeployments(entries: readonly SubmittedEntry[]): string[] {
  const mentioned = entries.flatMap(({ deploymentId }) => (deploymentId === null ? [] : [deploymentId]));
  return [...new Set(mentioned)];
}

/**
 * @param owned of the deployments that were mentioned, those that are the agent's
 * @throws InvalidError naming each entry whose deployment is not
 */
export function refuseStrays(entries: readonly SubmittedEntry[], owned: ReadonlySet<string>): void {
  const strays = entries.filter(({ deploymentId }) => deploymentId !== null && !owned.has(deploymentId));
  if (strays.length === 0) return;
  throw new InvalidError(strays.map(({ path }) => `${path}deployment_id must be a deployment of this agent`));
}
