import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  ValidateIf,
} from 'class-validator';
import { ALL_SCOPES, type Scope, SCOPES } from '../../access/scopes.js';
import { Distinct } from '../../http/distinct.js';
import { WholeNumberInBody } from '../../http/number-between.js';
import { Trimmed } from '../../http/trimmed.js';

export class CreateApiKeyRequest {
  @ApiProperty({
    minLength: 1,
    maxLength: 200,
    description: 'What it is for; names need not differ.',
    example: 'nightly-report',
  })
  @Trimmed()
  @IsString()
  @Length(1, 200)
  name: string;

  @ApiProperty({
    required: false,
    type: String,
    format: 'uuid',
    nullable: true,
    description: "An agent of the caller's: the key is then for its runtime. Absent: a key of the user.",
    example: '0192f0c1-7a3e-7cc1-9d57-0f4c5c1a2b3d',
  })
  @IsOptional()
  @IsUUID('loose')
  agent_id?: string | null;

  @ApiProperty({
    required: false,
    enum: SCOPES,
    enumName: 'Scope',
    isArray: true,
    minItems: 1,
    uniqueItems: true,
    default: [ALL_SCOPES],
    description:
      'What a key of the user may do: a GET needs `read`, another route its `x-scope`; `*` is all. None for an agent.',
    example: ['read', 'deploy'],
  })
  @ValidateIf((_, value) => value !== undefined)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(SCOPES.length)
  @Distinct()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];

  @ApiProperty({
    required: false,
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: 365,
    description: 'For how many days it works; absent: until it is revoked.',
    example: 90,
  })
  @IsOptional()
  @WholeNumberInBody({ min: 1, max: 365 })
  expires_in_days?: number | null;
}
