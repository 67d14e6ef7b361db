import type { Context } from './context.js';
import { CommandFailedError, UnknownNameError } from './failures.js';
import { findAgentId } from './find-agent.js';
import { findDeploymentId } from './find-deployment.js';
import { findKeyId } from './find-key.js';
import { findWebhookId } from './find-webhook.js';

/** Agents precede deployments, which have the names of their agents. */
const FINDERS = [findAgentId, findDeploymentId, findKeyId, findWebhookId];

/**
 * The id of an agent, a deployment, a key or a webhook: of the first kind with this name or beginning of an id. A
 * complete id may be that of any resource, also of a removed one.
 *
 * @throws CommandFailedError if nothing or more than one matches
 */
export async function findTargetId(context: Context, text: string): Promise<string> {
  for (const find of FINDERS) {
    try {
      return await find(context, text);
    } catch (error) {
      if (!(error instanceof UnknownNameError)) throw error;
    }
  }
  throw new CommandFailedError(
    `No agent, deployment, key or webhook has the name "${text}", or an id that begins with it: of anything else, and of ` +
      'what has been removed, give the whole id',
  );
}
