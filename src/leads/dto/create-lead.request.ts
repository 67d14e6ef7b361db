import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, IsOptional, IsString, MaxLength } from 'class-validator';
import { Trimmed } from '../../http/trimmed.js';

/** Optional text; empty and null count as absent. */
const Text = (maxLength: number, description: string, example: string) =>
  applyDecorators(
    ApiProperty({ required: false, type: String, nullable: true, maxLength, description, example }),
    Trimmed(),
    IsOptional(),
    IsString(),
    MaxLength(maxLength),
  );

export class CreateLeadRequest {
  @ApiProperty({ format: 'email', maxLength: 254, example: 'ada@example.com' })
  @Trimmed()
  @IsEmail()
  @MaxLength(254)
  email: string;

  @Text(200, 'Who asks.', 'Ada Lovelace')
  name?: string | null;

  @Text(200, 'For whom.', 'Analytical Engines')
  company?: string | null;

  @Text(5_000, 'What it is about.', 'We would like to run two hundred agents.')
  message?: string | null;

  @Text(100, 'Where the request comes from.', 'pricing-page')
  source?: string | null;
}
