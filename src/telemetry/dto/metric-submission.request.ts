import { ApiProperty } from '@nestjs/swagger';
import { MAXIMUM_ENTRIES } from '../submission.js';
import { ApiFreeObject, ApiOwnAgent, EntryOrigin } from './submission-schemas.js';

const ApiMeasure = (description: string, example: number) =>
  ApiProperty({
    required: false,
    nullable: true,
    type: 'number',
    format: 'double',
    minimum: 0,
    description,
    example,
  });

const ApiCount = (description: string, example: number) =>
  ApiProperty({
    required: false,
    nullable: true,
    type: 'integer',
    format: 'int64',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description,
    example,
  });

export class MetricEntry extends EntryOrigin {
  @ApiMeasure('In a unit of your own, such as percent.', 12.5)
  cpu_usage?: number | null;

  @ApiMeasure('In a unit of your own.', 48.2)
  memory_usage?: number | null;

  @ApiMeasure('How long the agent has been running.', 86_400)
  uptime_seconds?: number | null;

  @ApiCount('Number of requests that the agent has processed.', 1_204)
  requests_processed?: number | null;

  @ApiCount('Number of errors in the agent.', 3)
  errors_count?: number | null;

  @ApiFreeObject('Measurements of your own.', { queue_length: 7 })
  custom?: Record<string, unknown> | null;
}

export class MetricBatch {
  @ApiOwnAgent()
  agent_id?: string | null;

  @ApiProperty({
    type: [MetricEntry],
    maxItems: MAXIMUM_ENTRIES,
    description: 'Stored together, or not at all.',
  })
  metrics: MetricEntry[];
}
