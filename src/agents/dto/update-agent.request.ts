import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { ConfigRules } from './config-rules.js';
import { LABELS_SCHEMA, LabelRules } from './label-rules.js';

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

  @ApiProperty({ required: false, nullable: true, type: String, minLength: 1, maxLength: 200 })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  name?: string | null;

  @ApiProperty({ required: false, nullable: true, type: String, maxLength: 2_000 })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  description?: string | null;

  @ApiProperty({ required: false, nullable: true, type: String, minLength: 1, maxLength: 64 })
  @IsOptional()
  @IsString()
  @Length(1, 64)
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
