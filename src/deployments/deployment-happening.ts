import type { DeploymentEntity } from './deployment.entity.js';
import type { NewEvent } from './deployment-events.repository.js';
import { newId } from '../database/new-id.js';

/** The name of the event with which a deployment comes to another project. It is no step: the status stays. */
export const HANDED_OVER = 'agent.moved';

/** The fields of an event that don't follow from the deployment. */
export type Happening = Pick<NewEvent, 'eventType' | 'previousStatus' | 'actor' | 'errorMessage'>;

/** Makes the event for the step of a deployment. Pure, except for the new id. */
export function eventOf(deployment: DeploymentEntity, happening: Happening): NewEvent {
  return {
    ...happening,
    id: newId(),
    projectId: deployment.projectId,
    agentId: deployment.agentId,
    deploymentId: deployment.id,
    sequence: deployment.lastSequence,
    status: deployment.status,
    replicas: deployment.replicas,
    nodeId: deployment.nodeId,
  };
}
