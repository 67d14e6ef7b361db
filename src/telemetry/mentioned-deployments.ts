import { isUUID } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';
import type { SubmittedEntry } from './submission.js';

/** The deployments that entries name, each once; a name that is no UUID is left out. */
export function mentionedDeployments(entries: readonly SubmittedEntry[]): string[] {
  const mentioned = new Set(entries.map(({ deploymentId }) => deploymentId));
  return [...mentioned].filter((id): id is string => isUUID(id, 'loose'));
}

/**
 * The entries that name a deployment of somebody else, or none that exists.
 *
 * @param owned of the deployments that were mentioned, those that are the agent's
 */
export function straysAmong<Entry extends SubmittedEntry>(
  entries: readonly Entry[],
  owned: ReadonlySet<string>,
): readonly Entry[] {
  return entries.filter(({ deploymentId }) => deploymentId !== null && !owned.has(deploymentId));
}

/** @throws InvalidError naming each of these entries, if there is one */
export function assertOwnDeployments(strays: readonly SubmittedEntry[]): void {
  if (strays.length > 0)
    throw new InvalidError(
      strays.map((stray) => ({
        field: `${stray.path}deployment_id`,
        code: 'invalid_value',
        message: strayMessage(stray),
      })),
    );
}

export function strayMessage({ path }: SubmittedEntry): string {
  return `${path}deployment_id must be a deployment of this agent`;
}
