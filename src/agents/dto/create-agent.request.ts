import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { ConfigRules } from './config-rules.js';

export class CreateAgentRequest {
  @ApiProperty({
    required: false,
    default: '{}',
    description:
      "The agent's configuration: a JSON document as a string, at most 256 KiB. An object is taken too and kept " +
      'as its JSON text.',
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    example: '{"command": ["node", "agent.js"]}',
  })
  @IsOptional()
  @ConfigRules()
  config?: string;

  @ApiProperty({
    required: false,
    minLength: 1,
    maxLength: 200,
    description: 'Default: `agent-` and the first eight characters of the id.',
    example: 'invoice-reader',
  })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  name?: string;

  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    maxLength: 2_000,
    example: 'Reads the invoices.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  description?: string | null;

  @ApiProperty({
    required: false,
    default: 'custom',
    minLength: 1,
    maxLength: 64,
    description: 'A short label of your own.',
    example: 'worker',
  })
  @IsOptional()
  @IsString()
  @Length(1, 64)
  type?: string;
}
