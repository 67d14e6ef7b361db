import { applyDecorators, type Type } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { MAXIMUM_OBJECT_BYTES } from '../entry-reader.js';
import { MAXIMUM_ENTRIES } from '../submission.js';

export const ApiOwnAgent = () =>
  ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'uuid',
    description: "Must be the key's own agent.",
  });

/** The optional fields of every entry. The schemas here are documentation: `submission.ts` reads the bodies. */
export abstract class EntryOrigin {
  @ApiOwnAgent()
  agent_id?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'uuid',
    description: 'A deployment of this agent. Absent: its active deployment, if there is exactly one.',
    example: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
  })
  deployment_id?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'uuid',
    description:
      'A run of this agent, for which it was written. Without a `deployment_id` the entry then belongs to the deployment that took the run.',
    example: null,
  })
  run_id?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'date-time',
    description:
      "When it happened. Without a zone: UTC. Absent, or over five minutes ahead: the service's time.",
    example: '2026-01-31T09:30:00.000Z',
  })
  timestamp?: string | null;
}

export const ApiFreeObject = (description: string, example: object) =>
  ApiProperty({
    selfRequired: false,
    nullable: true,
    type: 'object',
    additionalProperties: true,
    description: `${description} At most ${MAXIMUM_OBJECT_BYTES} bytes as JSON, twice that without exponents in its numbers.`,
    example,
  });

export class SubmissionAccepted {
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';

  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d' })
  agent_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    maximum: MAXIMUM_ENTRIES,
    description: 'How many entries were recorded: all that were sent.',
    example: 1,
  })
  accepted: number;
}

/**
 * A body that is one entry or a batch. `anyOf`, not `oneOf`: unknown properties are ignored, so a validator accepts a
 * batch of metrics as a metric too, where no property is required.
 */
export const ApiSubmissionBody = (entry: Type, batch: Type) =>
  applyDecorators(
    ApiExtraModels(entry, batch),
    ApiBody({ schema: { anyOf: [{ $ref: getSchemaPath(entry) }, { $ref: getSchemaPath(batch) }] } }),
  );
