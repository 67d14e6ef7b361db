import { CreateTelemetry1790011500000 } from '../migrations/telemetry/1790011500000-create-telemetry.js';
import { OwnUncountedUsage1790011600150 } from '../migrations/telemetry/1790011600150-own-uncounted-usage.js';
import { AgentLogPositionEntity } from './telemetry/agent-log-position.entity.js';
import { AgentLogEntity } from './telemetry/agent-log.entity.js';
import { AgentMetricEntity } from './telemetry/agent-metric.entity.js';
import { TelemetryBatchEntity } from './telemetry/telemetry-batch.entity.js';
import { AgentSpanEntity } from './traces/agent-span.entity.js';
import { ContentSizeEntity, SpanContentEntity } from './traces/span-content.entity.js';
import { UncountedUsageEntity } from './traces/uncounted-usage.entity.js';

/** Part of the composition root: the entities of the tables that are in the database of telemetry, and unused in the main one where that is another. */
export const sharedEntities = [
  AgentLogEntity,
  AgentLogPositionEntity,
  AgentMetricEntity,
  AgentSpanEntity,
  ContentSizeEntity,
  SpanContentEntity,
  TelemetryBatchEntity,
];

/** The entities of a database that has telemetry alone. */
export const telemetryEntities = [...sharedEntities, UncountedUsageEntity];

/**
 * The migrations of a database that has telemetry alone. A change of a table that both databases have is one class in both lists; only
 * the first one stands for all that came before it in the other.
 */
export const telemetryMigrations = [CreateTelemetry1790011500000, OwnUncountedUsage1790011600150];
