import { CreateControlPlane1790000000000 } from '../migrations/1790000000000-create-control-plane.js';
import { AgentPresenceEntity } from './agents/agent-presence.entity.js';
import { AgentEntity } from './agents/agent.entity.js';
import { CommandEntity } from './commands/command.entity.js';
import { ApiKeyEntity } from './api-keys/api-key.entity.js';
import { DeploymentEventEntity } from './deployments/deployment-event.entity.js';
import { DeploymentEntity } from './deployments/deployment.entity.js';
import { UserEventCounterEntity } from './deployments/user-event-counter.entity.js';
import { IdempotencyRecordEntity } from './http/idempotency/idempotency.entity.js';
import { AgentLogEntity } from './telemetry/agent-log.entity.js';
import { AgentMetricEntity } from './telemetry/agent-metric.entity.js';
import { UserEntity } from './users/user.entity.js';

/** Part of the composition root: every table's entity, and the migrations in the order in which they run. */
export const entities = [
  AgentEntity,
  AgentLogEntity,
  AgentMetricEntity,
  AgentPresenceEntity,
  ApiKeyEntity,
  CommandEntity,
  DeploymentEntity,
  DeploymentEventEntity,
  IdempotencyRecordEntity,
  UserEntity,
  UserEventCounterEntity,
];

export const migrations = [CreateControlPlane1790000000000];
