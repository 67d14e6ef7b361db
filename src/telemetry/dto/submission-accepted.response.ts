import { ApiProperty } from '@nestjs/swagger';
import { MAXIMUM_ENTRIES } from '../submission.js';

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
