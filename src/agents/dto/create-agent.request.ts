import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { ConfigRules } from './config-rules.js';
import { TextField } from '../../http/request-fields.js';

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

  @TextField({
    min: 1,
    max: 200,
    optional: true,
    description: 'Default: `agent-` and the first eight characters of the id.',
    example: 'invoice-reader',
  })
  name?: string;

  @TextField({ max: 2_000, optional: true, nullable: true, example: 'Reads the invoices.' })
  description?: string | null;

  @TextField({
    min: 1,
    max: 64,
    optional: true,
    default: 'custom',
    description: 'A short label of your own.',
    example: 'worker',
  })
  type?: string;
}
