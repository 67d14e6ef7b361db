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
    description: 'Must be the agent of the key.',
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
    description: 'A deployment of this agent. Default: its active deployment, if there is exactly one.',
    example: '0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5',
  })
  deployment_id?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'uuid',
    description:
      'The run of this agent that the entry belongs to. Without `deployment_id`, the entry also belongs to the ' +
      'deployment that took the run.',
    example: null,
  })
  run_id?: string | null;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    format: 'date-time',
    description:
      "When it happened. Without a time zone: UTC. Absent, or more than five minutes in the future: the service's " +
      'time.',
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
    description:
      `${description} At most ${MAXIMUM_OBJECT_BYTES} bytes as JSON, and twice that with numbers written without ` +
      'exponents.',
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
    description: 'Number of stored entries: all that were sent.',
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
