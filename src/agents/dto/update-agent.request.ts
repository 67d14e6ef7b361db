import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ConfigRules } from './config-rules.js';
import { LABELS_SCHEMA, LabelRules } from './label-rules.js';
import { TextField } from '../../http/request-fields.js';

/** Undefined keeps, null sets what a new agent has. No default is documented: generated clients would send it. */
export class UpdateAgentRequest {
  @ApiProperty({
    required: false,
    nullable: true,
    description: 'As when the agent was created. Null: `{}`.',
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    example: '{"command": ["node", "agent.js"]}',
  })
  @IsOptional()
  @ConfigRules()
  config?: string | null;

  @TextField({ min: 1, max: 200, optional: true, nullable: true })
  name?: string | null;

  @TextField({ max: 2_000, optional: true, nullable: true })
  description?: string | null;

  @TextField({ min: 1, max: 64, optional: true, nullable: true })
  type?: string | null;

  @ApiProperty({
    ...LABELS_SCHEMA,
    type: 'object',
    selfRequired: false,
    nullable: true,
    description: 'Replaces all labels. A key has no colon.',
  })
  @IsOptional()
  @LabelRules()
  labels?: Record<string, string> | null;
}
