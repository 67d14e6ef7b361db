import { isUUID } from 'class-validator';
import { InvalidError } from '../errors/domain-error.js';
import type { SubmittedEntry } from './submission.js';

/** Ids of the deployments to which entries refer, each once, without those that are no UUIDs. */
export function mentionedDeployments(entries: readonly SubmittedEntry[]): string[] {
  const mentioned = new Set(entries.map(({ deploymentId }) => deploymentId));
  return [...mentioned].filter((id): id is string => isUUID(id, 'loose'));
}

/**
 * The entries that refer to a deployment of another agent or to an unknown one.
 *
 * @param owned the agent's own deployments among the mentioned ones
 */
export function straysAmong<Entry extends SubmittedEntry>(
  entries: readonly Entry[],
  owned: ReadonlySet<string>,
): readonly Entry[] {
  return entries.filter(({ deploymentId }) => deploymentId !== null && !owned.has(deploymentId));
}

/** @throws InvalidError with each of these entries, if there are any */
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
