import type { NewCommandsService } from '../commands/new-commands.service.js';
import type { Transaction } from '../database/transaction.js';
import type { Transition } from '../lifecycle/deployment-lifecycle.js';
import { commandAfter } from '../lifecycle/deployment-pause.js';
import type { DeploymentEntity } from './deployment.entity.js';

/** The columns of a deployment that decide its command. */
type Asking = Pick<
  DeploymentEntity,
  | 'id'
  | 'agentId'
  | 'projectId'
  | 'generation'
  | 'startGeneration'
  | 'observedGeneration'
  | 'replicas'
  | 'isHeld'
  | 'lastSequence'
>;

/**
 * Adds the command of a deployment's last step, if it has one. The deployment's config is read at the delivery.
 *
 * @param deployment as it is after the step
 * @throws RateLimitedError if too many commands wait for the agent already
 */
export async function askRuntime(
  commands: NewCommandsService,
  tx: Transaction,
  transition: Pick<Transition, 'command' | 'holds' | 'rolling'>,
  deployment: Asking,
): Promise<void> {
  const { id, agentId, projectId, generation, lastSequence: sequence } = deployment;
  const isKnown = async () =>
    deployment.observedGeneration !== null || (await commands.wasDelivered(tx, deployment.id));
  const asked = commandAfter(transition, deployment, transition.holds === true && (await isKnown()));
  if (!asked) return;
  const { action, ...wanted } = asked;
  const parameters = { deployment_id: id, generation, ...wanted };
  await commands.enqueue(tx, {
    projectId,
    agentId,
    deploymentId: id,
    sequence,
    generation,
    action,
    parameters,
  });
}
