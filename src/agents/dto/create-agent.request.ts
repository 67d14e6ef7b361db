import { ApiProperty } from '@nestjs/swagger';
import {
  IsOptional,
  IsString,
  Length,
  MaxLength,
  Validate,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { Verbatim } from '../../http/declared-body.js';

const MAXIMUM_CONFIG_BYTES = 256 * 1024;

@ValidatorConstraint({ name: 'isJsonDocument' })
class IsJsonDocument implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    if (typeof value !== 'string') return false;
    try {
      JSON.parse(value);
      return true;
    } catch {
      return false;
    }
  }

  defaultMessage(): string {
    return 'config must be a JSON document';
  }
}

@ValidatorConstraint({ name: 'maxBytes' })
class MaxConfigBytes implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value !== 'string' || Buffer.byteLength(value) <= MAXIMUM_CONFIG_BYTES;
  }

  defaultMessage(): string {
    return `config must be at most ${MAXIMUM_CONFIG_BYTES} bytes`;
  }
}

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
  @Verbatim((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value))
  @Validate(IsJsonDocument)
  @Validate(MaxConfigBytes)
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
